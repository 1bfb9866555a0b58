/** Locks, semaphores, sessions and findings as lines of text. Every name in them is safe to print. */
import { columns, sentences, shown } from './terminal.mjs';

/** @typedef {import('../lib/domain/model').Lock} Lock */
/** @typedef {import('../lib/domain/model').Semaphore} Semaphore */
/** @typedef {import('../lib/domain/model').Session} Session */
/** @typedef {import('../lib/domain/model').Party} Party */
/** @typedef {import('../lib/domain/model').Subject} Subject */
/** @typedef {import('../lib/domain/model').Source} Source */
/** @typedef {import('../lib/domain/snapshot').Snapshot} Snapshot */
/** @typedef {import('./terminal.mjs').Colour} Colour */
/** @typedef {(colour: Colour, text: string) => string} Paint */
/** @typedef {{ id: string, severity: string, code: string, text: string, who: string, subject: Subject }} Finding */

/** @param {Subject} subject */
export const nameOf = (subject) =>
  subject.kind === 'lock' ? subject.key : subject.kind === 'semaphore' ? subject.prefix : subject.id;

/** @param {Subject} subject */
export const subjectText = (subject) => `${subject.kind} ${shown(nameOf(subject))}`;

/** @param {number} atMs */
export const clock = (atMs) => new Date(atMs).toTimeString().slice(0, 8);

/** @param {Lock} lock */
export function lockText({ state, holder, delayedUntilMs }) {
  if (state === 'unknown') return 'who holds it cannot be told';
  if (state === 'delayed')
    return delayedUntilMs === null
      ? 'under a lock-delay'
      : `under a lock-delay until ${clock(delayedUntilMs)}`;
  if (state === 'free' || holder === null) return 'free';
  return `held by ${shown(holder.label)}, ${holder.verdict}`;
}

/** @param {Semaphore} semaphore */
export function semaphoreText({ effective, limit, waiters, holders }) {
  const ghosts = holders.filter(({ verdict }) => verdict === 'ghost').length;
  return [
    `${effective ?? '?'} of ${limit ?? '?'} slots held`,
    `${waiters.length} waiting`,
    ...(ghosts === 0 ? [] : [`${ghosts} leaked`]),
  ].join(', ');
}

/** @param {number | null} ms */
const span = (ms) => (ms === null ? 'none' : `${ms / 1000} s`);

/** @param {Session} session */
export function sessionText({ name, node, ttlMs, holds, wants }) {
  return `${shown(name) || '(no name)'} on ${shown(node)}, TTL ${span(ttlMs)}, holds ${holds.length}, wants ${wants.length}`;
}

/**
 * Why the data cannot be trusted; `null` while it is live.
 * @param {Source} source
 * @returns {string | null}
 */
export function staleText({ state, staleSinceMs, lastContactMs, problem }) {
  if (state === 'live') return null;
  const why = problem === null ? '' : ` (${problem.why?.code ?? problem.code})`;
  const since = staleSinceMs ?? lastContactMs;
  if (staleSinceMs === null) return `Nothing was read from Consul so far${why}.`;
  return `This is old: Consul was last heard at ${clock(since ?? staleSinceMs)}${why}.`;
}

/**
 * @param {Snapshot} snapshot
 * @param {string | undefined} kind
 * @param {Paint} paint
 * @returns {string[]}
 */
export function listLines({ locks, semaphores, sessions, findings }, kind, paint) {
  const urgent = new Set(
    findings
      .filter(({ severity }) => severity === 'urgent')
      .flatMap(({ subject, also }) => [subject, ...also].map((one) => `${one.kind} ${nameOf(one)}`)),
  );
  /** @type {[kind: string, name: string, text: string][]} */
  const rows = [];
  for (const row of semaphores) rows.push(['semaphore', row.prefix, semaphoreText(row)]);
  for (const row of locks) rows.push(['lock', row.key, lockText(row)]);
  if (kind === 'session') for (const row of sessions) rows.push(['session', row.id, sessionText(row)]);
  const alarming = rows.map(([of, name]) => urgent.has(`${of} ${name}`));
  return columns(rows.map(([of, name, text], i) => [alarming[i] ? '!' : ' ', of, shown(name), text])).map(
    (line, i) => (alarming[i] ? paint('red', line) : line),
  );
}

/** @type {Readonly<Record<string, Colour>>} */
const colourOf = { urgent: 'red', warning: 'yellow', notice: 'dim' };

/**
 * @param {readonly Finding[]} findings
 * @param {Paint} paint
 * @returns {string[]}
 */
export function findingLines(findings, paint) {
  return findings.flatMap(({ severity, subject, text, code }) => [
    `${paint(colourOf[severity] ?? 'bold', severity)}  ${subjectText(subject)}  ${paint('dim', code)}`,
    sentences(text, '  '),
  ]);
}

/**
 * @param {readonly Party[]} parties
 * @returns {string[]}
 */
const partyLines = (parties) =>
  columns(
    parties.map(({ sessionId, label, verdict, session, since }) => [
      '   ',
      shown(sessionId),
      verdict,
      session === null ? 'not visible' : `on ${shown(session.node)}`,
      since === null ? '' : `${since.basis === 'at-least' ? 'since before' : 'since'} ${clock(since.atMs)}`,
      shown(label),
    ]),
  );

/**
 * @param {Lock} lock
 * @returns {string[]}
 */
export function lockLines(lock) {
  return [
    `lock ${shown(lock.key)}: ${lockText(lock)}`,
    ...(lock.holder === null ? [] : ['  holder', ...partyLines([lock.holder])]),
    '  waiters are not visible in Consul',
    `  layout ${lock.layout}, index ${lock.modifyIndex}, flags ${lock.flags}`,
  ];
}

/**
 * @param {Semaphore} semaphore
 * @returns {string[]}
 */
export function semaphoreLines(semaphore) {
  const { holders, waiters, problems } = semaphore;
  return [
    `semaphore ${shown(semaphore.prefix)}: ${semaphoreText(semaphore)}`,
    ...(holders.length === 0 ? [] : ['  holders', ...partyLines(holders)]),
    ...(waiters.length === 0 ? [] : ['  waiters (Consul grants by race)', ...partyLines(waiters)]),
    ...problems.map(
      ({ code, detail }) => `  problem: ${code}${detail === null ? '' : ` (${shown(detail)})`}`,
    ),
    `  layout ${semaphore.layout}, index ${semaphore.modifyIndex ?? '?'}, flags ${semaphore.flags ?? '?'}`,
  ];
}

/**
 * @param {Session} session
 * @returns {string[]}
 */
export function sessionLines(session) {
  return [
    `session ${shown(session.id)}: ${sessionText(session)}`,
    `  ends: its locks are ${session.behavior}d, lock-delay ${span(session.lockDelayMs)}, node ${session.nodeStatus}`,
    ...session.checks.map(({ name, status }) => `  check ${shown(name)}: ${status}`),
    ...session.holds.map((one) => `  holds ${subjectText(one)}`),
    ...session.wants.map((one) => `  wants ${subjectText(one)}`),
  ];
}
