/** Sentences from the model: a subject's state in one line, since and ends. */

import { type Capabilities, capabilities, waitingOf } from '@/lib/domain/capabilities';
import { refusedUntilMs } from '@/lib/domain/delay-rest';
import type { Finding, FindingCode } from '@/lib/domain/findings/finding';
import { needsHuman } from '@/lib/domain/findings/need';
import { areHoldersHidden, holdersWith } from '@/lib/domain/holders';
import type { Layout } from '@/lib/domain/layout';
import type { Facts, Sayings } from '@/lib/domain/message';
import type { Evidence, Expiry, Lock, Semaphore, Since, Verdict } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { formatAge, formatDuration, formatRest, formatWhen } from '@/lib/i18n/format/format';
import { worded } from '@/lib/i18n/format/worded';
import { heldSentences, isUncommon, uncommonSentences, waitingSentence } from './holding';
import type { AllMessages, Messages } from './messages';

/** The part of a language that these need; a page has it from its first moment. */
export type SentenceMessages = Pick<
  Messages,
  'board' | 'delay' | 'expiry' | 'findings' | 'joint' | 'layouts' | 'since' | 'subject' | 'units' | 'verdicts'
>;

export interface Moment {
  readonly nowMs: number;
  readonly zone: string;
}

/** Then no end of the holder ends the session. */
const isBoundToServer = (evidence: readonly Evidence[] = []) =>
  evidence.some(({ code }) => code === 'bound-to-server');

/** If its process is dead: `short` for a cell, `long` as a sentence. `holds`: by what it holds. */
export function expiryWords(
  of: { readonly expiry: Expiry; readonly verdict: Verdict; readonly evidence?: readonly Evidence[] },
  { nowMs, zone }: Moment,
  m: SentenceMessages,
  holds: Capabilities['holds'] = 'session',
): { readonly short: string; readonly long: string } {
  const { expiry: e, short } = { expiry: m.expiry, short: m.expiry.short };
  const { ends } = m.subject.holding;
  if (of.verdict === 'ghost' && holds === 'lease') return { short: ends.over, long: ends.sweep };
  if (of.verdict === 'ghost')
    return { short: short.ghost, long: holds === 'entry' ? ends.entryGhost : e.ghost };
  const { kind, withinMs, latestMs } = of.expiry;
  if (kind === 'lease' && latestMs !== null) {
    const end = formatWhen(latestMs, nowMs, zone);
    return { short: short.lease(end), long: e.lease(end) };
  }
  if (kind === 'observed' && latestMs !== null) {
    const latest = formatWhen(latestMs, nowMs, zone);
    return { short: short.observed(latest), long: e.observed(latest) };
  }
  if ((kind === 'bounded' || kind === 'observed') && withinMs !== null) {
    const within = formatDuration(withinMs, m.units);
    return { short: short.bounded(within), long: (holds === 'session' ? e.bounded : ends.entry)(within) };
  }
  if (kind === 'with-node' && isBoundToServer(of.evidence))
    return { short: short.withServer, long: e.withServer };
  if (kind === 'with-node') return { short: short.withNode, long: e.withNode };
  if (kind === 'never') return { short: short.never, long: e.never };
  return { short: short.unknown, long: e.unknown };
}

/** The meaning of a verdict, with the bound of its own session where known. */
export function verdictMeaning(
  of: { readonly expiry: Expiry; readonly verdict: Verdict; readonly evidence?: readonly Evidence[] },
  { meanings, subject, units }: Pick<AllMessages, 'meanings' | 'subject' | 'units'>,
  holds: Capabilities['holds'] = 'session',
): string {
  const { kind, withinMs } = of.expiry;
  if (holds !== 'session') return subject.holding.meanings[holds][of.verdict];
  if (of.verdict === 'alive' && (kind === 'bounded' || kind === 'observed') && withinMs !== null)
    return meanings.aliveWithin(formatDuration(withinMs, units));
  if (of.verdict === 'node-bound' && isBoundToServer(of.evidence)) return meanings.boundToServer;
  return meanings[of.verdict];
}

/** The beginning in short, and its basis; `age`: the time since then, `null` where `short` has it. `null`: unknown. */
export function sinceWords(
  since: Since | null,
  { nowMs, zone }: Moment,
  m: SentenceMessages,
): { readonly short: string; readonly age: string | null; readonly basis: string } | null {
  if (since === null) return null;
  const age = formatAge(since.atMs, nowMs, m.units);
  if (since.basis === 'at-least')
    return { short: m.since.atLeast(age), age: null, basis: m.since.atLeastBasis };
  return {
    short: formatWhen(since.atMs, nowMs, zone),
    age,
    basis: since.basis === 'value' ? m.since.valueBasis : m.since.observedBasis,
  };
}

/**
 * Findings that the subject's state does not show, such as a deadlock. Notices, and findings of a newer server, are
 * left out.
 */
function foundWords(findings: readonly Finding[], { findings: words }: SentenceMessages): string[] {
  const codes = new Set(findings.filter(needsHuman).map(({ code }) => code));
  return [...codes].flatMap((code) => (Object.hasOwn(words, code) ? (words[code].own ?? []) : []));
}

/** `more` (`refused-after.ts`) belongs to its state. */
export function lockSentence(
  lock: Lock,
  moment: Moment,
  m: SentenceMessages,
  findings: readonly Finding[] = [],
  more: readonly string[] = [],
): string {
  const waits = capabilities[lock.layout].waiters === 'counted' && (waitingOf(lock) ?? 0) > 0;
  return [
    lockState(lock, moment, m),
    ...(waits ? [waitingSentence(lock, m)] : []),
    ...more,
    ...foundWords(findings, m),
  ].join(m.joint);
}

function lockState(lock: Lock, moment: Moment, m: SentenceMessages): string {
  const texts = m.subject.lock;
  const bySession = capabilities[lock.layout].holds === 'session';
  if (lock.state === 'free') return bySession ? texts.free : texts.freeOfLeases;
  const untilMs = refusedUntilMs(lock, moment.nowMs);
  if (lock.state === 'delayed')
    return (lock.exists ? texts.delayed : m.delay.goneSentence)(
      untilMs === null ? null : formatRest(untilMs, moment.nowMs, m.units),
    );
  if (lock.state === 'unknown' || lock.holder === null)
    return bySession ? texts.unknown : m.subject.holding.unknown;
  if (!bySession) return heldSentences(lock, moment, m).join(m.joint);
  const { verdict, label, expiry, evidence } = lock.holder;
  if (verdict === 'node-bound' && isBoundToServer(evidence)) return texts.boundToServer(label);
  const bound =
    expiry.kind === 'observed' && expiry.latestMs !== null
      ? texts.bound.observed(formatWhen(expiry.latestMs, moment.nowMs, moment.zone))
      : (expiry.kind === 'bounded' || expiry.kind === 'observed') && expiry.withinMs !== null
        ? texts.bound.bounded(formatDuration(expiry.withinMs, m.units))
        : null;
  return texts.held(verdict, label, bound);
}

/** The doubtful verdicts in order of weight. */
function doubtsOf(semaphore: Semaphore): [Verdict, number][] {
  const order: Verdict[] = ['ghost', 'overdue', 'suspect', 'immortal', 'node-bound', 'unknown'];
  return order.map((verdict) => [verdict, holdersWith(semaphore, verdict)]);
}

/** If all overdue holders stay silent; `null`: unknown for one of them. */
function overdueUntil(semaphore: Semaphore, { nowMs, zone }: Moment): string | null {
  const overdue = semaphore.holders.filter((holder) => holder.verdict === 'overdue');
  const latest = overdue.flatMap(({ expiry }) => expiry.latestMs ?? []);
  if (latest.length === 0 || latest.length < overdue.length) return null;
  return formatWhen(Math.max(...latest), nowMs, zone);
}

/** A few short sentences, the worst after the plain count. */
export function semaphoreSentence(
  semaphore: Semaphore,
  moment: Moment,
  m: SentenceMessages,
  findings: readonly Finding[] = [],
): string {
  return [...semaphoreState(semaphore, moment, m), ...foundWords(findings, m)].join(m.joint);
}

function semaphoreState(semaphore: Semaphore, moment: Moment, m: SentenceMessages): string[] {
  const texts = m.subject.semaphore;
  const { limit, recorded, effective, waiters } = semaphore;
  const isPart = semaphore.part === true;
  if (isUncommon(semaphore)) return [...uncommonSentences(semaphore, m), ...inDoubt(semaphore, moment, m)];
  if (areHoldersHidden(semaphore)) return [texts.holdersHidden(limit)];
  if (recorded === null && limit !== null) return [texts.unreadableHolders(limit, waiters.length, isPart)];
  if (limit === null || recorded === null) return [texts.unreadable(waiters.length, isPart)];
  const parts = [texts.slots(recorded, limit, effective, waiters.length, isPart)];
  if (recorded > limit) parts.push(texts.over(recorded - limit));
  return [...parts, ...inDoubt(semaphore, moment, m)];
}

/** The number of node-bound holders whose node is a server, which is not their machine. */
const boundToServer = ({ holders }: Semaphore): number =>
  holders.filter(({ verdict, evidence }) => verdict === 'node-bound' && isBoundToServer(evidence)).length;

/** The holders in doubt, by verdict. */
function inDoubt(semaphore: Semaphore, moment: Moment, { subject }: SentenceMessages): string[] {
  const { semaphore: texts, holding } = subject;
  const { holds } = capabilities[semaphore.layout];
  const parts: string[] = [];
  for (const [verdict, count] of doubtsOf(semaphore)) {
    const own = verdict === 'ghost' && holds === 'lease' ? holding.expired : texts.doubtful[verdict];
    const onServer = verdict === 'node-bound' ? boundToServer(semaphore) : 0;
    const text = count === onServer ? null : own;
    const until = verdict === 'overdue' && holds === 'session' ? overdueUntil(semaphore, moment) : null;
    if (until !== null) parts.push(texts.overdueUntil(count, until));
    else if (text !== null) parts.push(text(count - onServer));
    if (onServer > 0) parts.push(texts.boundToServer(onServer));
  }
  return parts;
}

/**
 * The reason why a row needs attention, beside its columns: its findings, then additions of its state. '' where there
 * are none. Without either, the name of the finding stands there.
 */
export function attentionSentence(
  of: Lock | Semaphore,
  moment: Moment,
  m: SentenceMessages,
  findings: readonly Finding[],
): string {
  const needs = findings.filter(needsHuman);
  if (needs.length === 0) return '';
  const words = [...foundWords(needs, m), ...doubtWords(of, moment, m)];
  return words.length > 0 ? words.join(m.joint) : needs.map((one) => findingName(one, m)).join(m.joint);
}

/** The additions of a state to the counts in the columns. */
function doubtWords(of: Lock | Semaphore, moment: Moment, m: SentenceMessages): string[] {
  if (of.kind === 'lock')
    return of.holder === null || of.holder.verdict === 'alive' ? [] : [lockState(of, moment, m)];
  if (isUncommon(of)) return inDoubt(of, moment, m);
  const state = semaphoreState(of, moment, m);
  return of.limit === null || of.recorded === null ? state : state.slice(1);
}

/** Most clauses at one glance. */
const clausesMax = 3;

export interface BoardFacts {
  readonly locks: number;
  readonly semaphores: number;
  readonly sessions: number;
  /** Contenders that are seen to wait. */
  readonly waiting: number;
  /** Kinds that need attention, the most urgent first. */
  readonly clauses: readonly { readonly code: FindingCode; readonly n: number }[];
}

export function boardFacts(snapshot: Snapshot): BoardFacts {
  const urgent = new Map<FindingCode, number>();
  const warnings = new Map<FindingCode, number>();
  for (const { severity, code } of snapshot.findings) {
    if (severity === 'notice') continue;
    const codes = severity === 'urgent' ? urgent : warnings;
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  return {
    locks: snapshot.locks.length,
    semaphores: snapshot.semaphores.length,
    sessions: snapshot.sessions.length,
    waiting: [...snapshot.semaphores, ...snapshot.locks].reduce((sum, s) => sum + (waitingOf(s) ?? 0), 0),
    clauses: mergeClauses([...urgent, ...warnings].map(([code, n]) => ({ code, n }))),
  };
}

/** The needs by kind, then the number of rows in view. */
export function boardSentence(snapshot: Snapshot, m: SentenceMessages): { state: string; counts: string } {
  return factsSentence(boardFacts(snapshot), m);
}

/** The same for a world with only its numbers known. */
export function factsSentence(
  { locks, semaphores, sessions, waiting, clauses }: BoardFacts,
  m: SentenceMessages,
): { state: string; counts: string } {
  const counts = m.board.counts(locks, semaphores, sessions);
  // The most urgent kinds; the others are counted.
  if (clauses.length > 0) {
    const leftOut = clauses.slice(clausesMax).reduce((sum, { n }) => sum + n, 0);
    const needs = m.board.needs(clauses.slice(0, clausesMax));
    return { state: leftOut === 0 ? needs : [needs, m.board.needsMore(leftOut)].join(m.joint), counts };
  }
  return { state: waiting === 0 ? m.board.quiet : m.board.quietWaiting(waiting), counts };
}

function mergeClauses(clauses: readonly { code: FindingCode; n: number }[]) {
  const merged = new Map<FindingCode, number>();
  for (const { code, n } of clauses) merged.set(code, (merged.get(code) ?? 0) + n);
  return [...merged].map(([code, n]) => ({ code, n }));
}

/** The name in two or three words; the code for a newer server's finding. */
export function findingName({ code }: Finding, { findings }: SentenceMessages): string {
  return Object.hasOwn(findings, code) ? findings[code].short : code;
}

/** The text in one or two sentences; the code for a newer server's finding. */
export function findingText({ code, facts }: Finding, { reports }: Pick<AllMessages, 'reports'>): string {
  // TypeScript cannot follow the facts of a code.
  return worded({ code, facts }, reports as unknown as Sayings<Record<string, Facts>>);
}

/** The owner who can mend it, where none of our actions does. */
export function findingOwner(
  { code, facts, mend }: Finding,
  { owners }: Pick<AllMessages, 'owners'>,
): string {
  // TypeScript cannot follow the facts of a code.
  return worded(
    { code, facts: { ...facts, mended: mend === null ? 0 : 1 } },
    owners as unknown as Sayings<Record<string, Facts>>,
  );
}

export function layoutName(layout: Layout, m: SentenceMessages): string {
  return m.layouts[layout].name;
}
