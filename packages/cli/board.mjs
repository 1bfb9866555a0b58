/** Locks, semaphores, sessions and findings as lines of text. Every name in them is safe to print. */
import { columns, sentences, shown } from './terminal.mjs';
import { problemText, spaced } from './words.mjs';

/** @typedef {import('../../lib/domain/model').Lock} Lock */
/** @typedef {import('../../lib/domain/model').Semaphore} Semaphore */
/** @typedef {import('../../lib/domain/model').Session} Session */
/** @typedef {import('../../lib/domain/model').Party} Party */
/** @typedef {import('../../lib/domain/model').Subject} Subject */
/** @typedef {import('../../lib/domain/source-state').SourceState} SourceState */
/** @typedef {import('../../lib/domain/model').Verdict} Verdict */
/** @typedef {import('../../lib/domain/model').Renewal} Renewal */
/** @typedef {import('../../lib/domain/world/snapshot').Snapshot} Snapshot */
/** @typedef {import('./terminal.mjs').Colour} Colour */
/** @typedef {(colour: Colour, text: string) => string} Paint */
/** @typedef {{ id: string, severity: string, code: string, text: string, who: string, subject: Subject }} Finding */

/** @param {Subject} subject */
export const nameOf = (subject) =>
  subject.kind === 'lock' ? subject.key : subject.kind === 'semaphore' ? subject.prefix : subject.id;

/** The source that goes without saying; a console from before there were several names none. */
export const firstSource = 'consul';

/**
 * A name, with its source unless that is the first.
 * @param {string} name
 * @param {string} [source]
 */
export const placed = (name, source = firstSource) => (source === firstSource ? name : `${name} [${source}]`);

/** @param {Subject} subject */
export const subjectText = (subject) => `${subject.kind} ${placed(shown(nameOf(subject)), subject.source)}`;

/** @param {number} atMs */
export const clock = (atMs) => new Date(atMs).toTimeString().slice(0, 8);

/**
 * Who waits, where the backend counts them; else `null`. It names none then, and one that polls is not counted.
 * @param {Lock | Semaphore} of
 */
function countedText({ layout, waitingClients, waiters }) {
  if (waitingClients !== undefined) return `${waitingClients} waiting (counted)`;
  // Every layout of Redisson whose waiters leave no names.
  return layout.startsWith('redisson-') && (waiters?.length ?? 0) === 0 && layout !== 'redisson-fair'
    ? 'waiting unknown'
    : null;
}

/** @param {Lock} lock */
const holdersOf = ({ holder, readers = [] }) => (holder === null ? [] : [holder, ...readers]);

/** @param {Lock} lock */
export function lockText(lock) {
  const { state, holder, readers = [], delayedUntilMs, waitingClients = 0 } = lock;
  const waiting = waitingClients === 0 ? '' : `, ${countedText(lock)}`;
  if (state === 'unknown') return 'holder unknown';
  if (state === 'delayed')
    return delayedUntilMs === null
      ? 'under a lock-delay'
      : `under a lock-delay until ${clock(delayedUntilMs)}`;
  if (state === 'free' || holder === null) return `free${waiting}`;
  const more = readers.length === 0 ? '' : ` and ${readers.length} more`;
  const mode = holder.mode === undefined ? '' : holder.mode === 'read' ? ' for reading' : ' for writing';
  return `held by ${shown(holder.label)}${more}${mode}, ${holder.verdict}${waiting}`;
}

/** @param {Semaphore} semaphore */
function slotsText({ layout, effective, limit, limitBasis, available, problems }) {
  if (layout === 'redisson-latch') return `count ${available ?? '?'}`;
  const basis = limitBasis === 'configured' || limitBasis === 'inferred' ? ` (limit ${limitBasis})` : '';
  if (layout === 'redisson-semaphore')
    return `${available ?? '?'} free${limit === null ? '' : ` of ${limit}`}${basis}, holders not stored`;
  if (limit === null && problems.length === 0) return `${effective ?? '?'} slots held, limit not stored`;
  if (limitBasis === 'at-least') return `${effective ?? '?'} slots held, limit ${limit} or more`;
  return `${effective ?? '?'} of ${limit ?? '?'} slots held${basis}`;
}

/** @param {Semaphore} semaphore */
export function semaphoreText(semaphore) {
  const { waiters, holders, beyond, part, layout } = semaphore;
  const ghosts = holders.filter(({ verdict }) => verdict === 'ghost').length + (beyond?.ghost ?? 0);
  return [
    slotsText(semaphore),
    countedText(semaphore) ??
      (part
        ? `${waiters.length} waiting in view (others may wait, hidden from this token)`
        : `${waiters.length} waiting`),
    ...(ghosts === 0 ? [] : [`${ghosts} ${layout === 'redisson-permits' ? 'expired' : 'leaked'}`]),
  ].join(', ');
}

/** @param {number | null} ms */
const span = (ms) => (ms === null ? 'none' : `${ms / 1000} s`);

/** @param {Session} session */
export function sessionText({ name, node, ttlMs, holds, wants }) {
  return `${shown(name) || '(no name)'} on ${shown(node)}, TTL ${span(ttlMs)}, holds ${holds.length}, waits for ${wants.length}`;
}

/**
 * Where nothing was ever read, it is not known what there is.
 * @param {SourceState} source
 */
export const wasRead = ({ state, staleSinceMs, parts }) =>
  parts === undefined ? state === 'live' || staleSinceMs !== null : parts.some(wasRead);

/**
 * The sources of which nothing was read, where there are several: what is missing of them is not gone.
 * @param {SourceState | undefined} source
 * @returns {readonly string[]}
 */
export const unreadOf = (source) =>
  (source?.parts ?? []).filter((part) => !wasRead(part)).map(({ id }) => id);

/**
 * Why the data cannot be trusted; `null` while it is live.
 * @param {SourceState} source
 * @returns {string | null}
 */
export function staleText({ state, staleSinceMs, problem, parts, title }) {
  if (parts !== undefined && parts.length > 0) {
    const old = parts.flatMap((part) => staleText(part) ?? []);
    return old.length === 0 ? null : old.join('\n');
  }
  if (state === 'live') return null;
  const why = problem === null ? '' : ` ${problemText({ code: problem.code, detail: problem.detail })}`;
  // A console from before there were several does not name it.
  const name = shown(title ?? 'Consul');
  if (staleSinceMs === null) return `The console has not read ${name} yet.${why}`;
  return `Stale: ${name} last answered at ${clock(staleSinceMs)}.${why}`;
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
      .flatMap(({ subject, also }) => [subject, ...also].map(subjectText)),
  );
  /** @type {[kind: string, name: string, text: string][]} */
  const rows = [];
  for (const row of semaphores)
    rows.push(['semaphore', placed(shown(row.prefix), row.source), semaphoreText(row)]);
  for (const row of locks) rows.push(['lock', placed(shown(row.key), row.source), lockText(row)]);
  if (kind === 'session')
    for (const row of sessions) rows.push(['session', placed(shown(row.id), row.source), sessionText(row)]);
  const alarming = rows.map(([of, name]) => urgent.has(`${of} ${name}`));
  return columns(rows.map(([of, name, text], i) => [alarming[i] ? '!' : ' ', of, name, text])).map(
    (line, i) => (alarming[i] ? paint('red', line) : line),
  );
}

/**
 * By severity, the worst first.
 * @type {Readonly<Record<string, Colour>>}
 */
const colourOf = { urgent: 'red', warning: 'yellow', notice: 'dim' };
const severities = Object.keys(colourOf);

/**
 * A severity that a newer console has may be worse than any that is known here.
 * @param {Finding} finding
 */
const rankOf = ({ severity }) => severities.indexOf(severity);

/**
 * @param {readonly Finding[]} findings
 * @param {Paint} paint
 * @returns {string[]}
 */
export function findingLines(findings, paint) {
  const worstFirst = [...findings].sort((a, b) => rankOf(a) - rankOf(b));
  return worstFirst.flatMap(({ severity, subject, text }) => [
    `${paint(colourOf[severity] ?? 'bold', severity)}  ${subjectText(subject)}`,
    sentences(text, '  '),
  ]);
}

/** @type {Readonly<Record<Verdict, string>>} */
const meaningOf = {
  alive: 'its session, lease or entry is there; no sign that its process is dead',
  overdue: 'its renewals stopped; its process is probably dead',
  suspect: 'its node or a check fails; its process is likely dead or cut off',
  'node-bound': 'only the node of its session ends it; its process may or may not run',
  immortal: 'never ends on its own; its process may or may not run',
  ghost: 'recorded, but locks nothing here',
  unknown: 'the facts needed to judge could not be read',
};

/**
 * One that a newer console has stands by itself.
 * @param {Verdict} verdict
 */
export const verdictText = (verdict) =>
  Object.hasOwn(meaningOf, verdict) ? `${verdict}: ${meaningOf[verdict]}` : verdict;

/**
 * Facts after which no check of its own can be said to end it.
 * @type {ReadonlySet<string>}
 */
const noCheckOfItsOwn = new Set(['no-checks', 'node-checks-only', 'may-need-no-entry']);

/**
 * When it ends by itself if its process is dead, and from what that is known.
 * @param {Party} party
 * @param {readonly Renewal[]} renewals of sessions that are renewed in time
 * @returns {string}
 */
function endText({ sessionId, verdict, evidence, expiry }, renewals) {
  if (verdict === 'ghost' && expiry.kind === 'lease')
    return 'its lease is over: the record stays until the next client or a person sweeps it';
  if (verdict === 'ghost')
    return 'never ends on its own: the record stays until a client or a person prunes it';
  const { kind, withinMs, latestMs, lastRenewalMs } = expiry;
  if (kind === 'lease')
    return latestMs === null ? 'end unknown' : `its lease ends at ${clock(latestMs)} unless renewed`;
  if (kind === 'with-node')
    return evidence.some(({ code }) => code === 'bound-to-server')
      ? 'no TTL: ends when its Consul server fails or leaves, not when its process or machine dies'
      : 'no TTL: ends when its node fails or leaves, not when its process dies';
  if (kind === 'never') return 'no TTL: never ends by time, holds until a client or a person acts';
  if (withinMs === null) {
    const codes = evidence.map(({ code }) => code);
    return codes.includes('no-ttl') && !codes.some((code) => noCheckOfItsOwn.has(code))
      ? 'no TTL: never ends by time, only when one of its checks fails'
      : 'end unknown';
  }
  const ttl = `TTL ${span(withinMs / 2)}`;
  const renewal = kind === 'observed' ? renewals.find(({ id }) => id === sessionId) : undefined;
  const lastMs = lastRenewalMs ?? renewal?.lastMs ?? null;
  const endMs = latestMs ?? (renewal === undefined ? null : renewal.fromMs + withinMs);
  if (lastMs === null || endMs === null)
    return `${ttl}: ends within ${span(withinMs)} if its process is dead`;
  return `${ttl}, last renewal at ${clock(lastMs)}: ends by ${clock(endMs)} unless renewed`;
}

/**
 * @param {readonly Party[]} parties
 * @returns {string[]}
 */
const partyLines = (parties) =>
  columns(
    parties.map(({ sessionId, label, verdict, session, since, mode, expiry }) => [
      '   ',
      shown(sessionId),
      verdict,
      session !== null
        ? `on ${shown(session.node)}`
        : (mode ?? (expiry.kind === 'lease' ? '' : 'not visible')),
      since === null ? '' : `${since.basis === 'at-least' ? 'since before' : 'since'} ${clock(since.atMs)}`,
      shown(label),
    ]),
  );

/**
 * Each holder with when it ends below it.
 * @param {readonly Party[]} holders
 * @param {readonly Renewal[]} renewals
 * @param {'times' | 'permits'} unit Of what one may have several.
 * @returns {string[]}
 */
function holderLines(holders, renewals, unit) {
  const ends = holders.map(
    (holder) =>
      `       ${endText(holder, renewals)}${(holder.count ?? 1) < 2 ? '' : `; ${holder.count} ${unit}`}`,
  );
  return partyLines(holders).flatMap((line, i) => [line, ends[i] ?? '']);
}

/**
 * Index and flags, where the backend has such facts.
 * @param {Lock | Semaphore} of
 */
const backendFacts = ({ modifyIndex, flags }) =>
  modifyIndex === undefined ? '' : `, index ${modifyIndex ?? '?'}, flags ${flags ?? '?'}`;

/**
 * @param {Lock} lock
 * @param {readonly Renewal[]} [renewals]
 * @returns {string[]}
 */
export function lockLines(lock, renewals = []) {
  return [
    `lock ${placed(shown(lock.key), lock.source)}: ${lockText(lock)}`,
    ...(lock.holder === null
      ? []
      : [
          lock.readers === undefined ? '  holder' : '  holders',
          ...holderLines(holdersOf(lock), renewals, 'times'),
        ]),
    ...(lock.waiters === null
      ? [`  ${countedText(lock) ?? 'waiters are not visible'}`]
      : ['  waiters, the first gets it next', ...partyLines(lock.waiters)]),
    ...(lock.lockIndex !== undefined && lock.modifyIndex === undefined
      ? [`  fencing token ${lock.lockIndex}`]
      : []),
    `  client type ${lock.layout}${backendFacts(lock)}`,
  ];
}

/**
 * @param {Semaphore} semaphore
 * @param {readonly Renewal[]} [renewals]
 * @returns {string[]}
 */
export function semaphoreLines(semaphore, renewals = []) {
  const { holders, waiters, problems, beyond } = semaphore;
  return [
    `semaphore ${placed(shown(semaphore.prefix), semaphore.source)}: ${semaphoreText(semaphore)}`,
    ...(holders.length === 0 ? [] : ['  holders', ...holderLines(holders, renewals, 'permits')]),
    ...(beyond === undefined ? [] : [`  and ${beyond.ghost + beyond.unknown} more that lock nothing here`]),
    ...(waiters.length === 0
      ? []
      : [`  waiters${backendFacts(semaphore) === '' ? '' : ' (granted by race)'}`, ...partyLines(waiters)]),
    ...problems.map(
      ({ code, detail }) => `  problem: ${spaced(code)}${detail === null ? '' : ` (${shown(detail)})`}`,
    ),
    `  client type ${semaphore.layout}${backendFacts(semaphore)}`,
  ];
}

/**
 * @param {Session} session
 * @returns {string[]}
 */
export function sessionLines(session) {
  return [
    `session ${placed(shown(session.id), session.source)}: ${sessionText(session)}`,
    `  ends: its locks are ${session.behavior}d, lock-delay ${span(session.lockDelayMs)}, node ${session.nodeStatus}`,
    ...session.checks.map(({ name, status }) => `  check ${shown(name)}: ${status}`),
    ...session.holds.map((one) => `  holds ${subjectText(one)}`),
    ...session.wants.map((one) => `  wants ${subjectText(one)}`),
  ];
}
