/**
 * The history of locks. Pure data, the same on the server, on the wire and in the browser.
 *
 * Glossary
 * - Episode: one hold, from its beginning to its end.
 * - Wait: one place in a visible queue.
 * - Gap: a time in which Signalbox did not see a source. Nothing is known of it, so it is never drawn as idle or free.
 *
 * Values and tokens are not kept. Names are as sensitive as keys.
 */
import type { FindingCode, Severity } from '@/lib/domain/findings/finding';
import type { Subject, Verdict } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';

/**
 * `observed`: Signalbox saw the change, at most one read late. `at-least`: it came before the first look. `at-most`: it
 * came before the first look after a gap. `value`: the client wrote this time.
 */
export interface Moment {
  readonly atMs: number;
  readonly basis: 'observed' | 'at-least' | 'at-most' | 'value';
}

/** A holder or waiter, as Signalbox named it then. */
export interface Who {
  /** The session's id, or the holder's own where the backend has no sessions. */
  readonly id: string;
  readonly label: string;
  /** `null`: the session was not visible, or the backend has none. */
  readonly name: string | null;
  readonly node: string | null;
}

/**
 * - `released`: the holder released, and its session continued. Another program that takes one living holder off a
 *   record, in the record's own form, looks the same.
 * - `session-ended`: its session was gone at the same look.
 * - `lease-ended`: its lease had run out.
 * - `evicted-here`: an action of Signalbox ended it.
 * - `entry-deleted`: the lock or the semaphore's record was gone, and its session continued.
 * - `entry-overwritten`: the record lost its form or its flags, or several holders at once whose own entries stayed.
 * - `not-watched`: it ended in a gap, or while its holder was unknown.
 */
export const holdEnds = [
  'released',
  'session-ended',
  'lease-ended',
  'evicted-here',
  'entry-deleted',
  'entry-overwritten',
  'not-watched',
] as const;
export type HoldEnd = (typeof holdEnds)[number];

/** An action of Signalbox in the audit. */
export interface DeedMark {
  /** The audit's row; `null`: the reader does not see its place. */
  readonly seq: number | null;
  /** The person's name; `null`: anonymous. */
  readonly by: string | null;
  readonly type: string;
  readonly reason: string | null;
  readonly atMs: number;
}

export interface VerdictMark {
  readonly verdict: Verdict;
  readonly atMs: number;
}

export interface Hold {
  /** Unique and stable. */
  readonly id: string;
  readonly subject: HeldSubject;
  readonly who: Who;
  readonly mode: 'read' | 'write' | null;
  readonly from: Moment;
  /** `null`: it holds. */
  readonly to: Moment | null;
  /** `null`: it holds. */
  readonly end: HoldEnd | null;
  /** For `evicted-here`. */
  readonly deed: DeedMark | null;
  /** In order of time, at most `verdictsMax`. */
  readonly verdicts: readonly VerdictMark[];
  /** Most waiters seen during the hold; `null`: the backend cannot show an empty queue. */
  readonly waitersMax: number | null;
  /** The lock-delay after it; `null`: none was seen. */
  readonly delayMs: number | null;
  /** The fencing token; `null`: none. */
  readonly token: string | null;
}

/** A subject that clients can hold. */
export type HeldSubject = Exclude<Subject, { readonly kind: 'session' }>;

export const waitEnds = ['got-in', 'left', 'session-ended', 'removed-here', 'not-watched'] as const;
export type WaitEnd = (typeof waitEnds)[number];

export interface Wait {
  readonly id: string;
  readonly subject: HeldSubject;
  readonly who: Who;
  readonly from: Moment;
  readonly to: Moment | null;
  readonly end: WaitEnd | null;
  /** For `removed-here`. */
  readonly deed: DeedMark | null;
}

/** `action`: an action of Signalbox on that subject. `time`: a TTL, a lease or a check. `client`: anything else. */
export const clearings = ['action', 'time', 'client', 'not-watched'] as const;
export type Clearing = (typeof clearings)[number];

export interface FindingEpisode {
  readonly id: string;
  readonly code: FindingCode;
  readonly subject: Subject;
  readonly from: Moment;
  readonly to: Moment | null;
  /** In order of time, the first at its opening; at most `verdictsMax`. */
  readonly severities: readonly { readonly severity: Severity; readonly atMs: number }[];
  readonly cleared: Clearing | null;
  readonly deed: DeedMark | null;
}

export interface LimitChange {
  readonly id: string;
  readonly subject: HeldSubject;
  readonly before: number;
  readonly after: number;
  readonly at: Moment;
  readonly deed: DeedMark | null;
}

/**
 * A time in which the source was not seen. `restart`: Signalbox did not run, or had not read the source yet. `behind`:
 * more happened than could be written.
 */
export interface Gap {
  readonly id: string;
  readonly source: SourceId;
  readonly fromMs: number;
  /** `null`: it continues. */
  readonly toMs: number | null;
  readonly why: 'outage' | 'restart' | 'behind';
}

/** Most marks of one hold or finding. Further marks replace the last. */
export const verdictsMax = 32;

/** A row that the recorder writes, which replaces the row of its id. */
export type HistoryRow =
  | { readonly kind: 'hold'; readonly row: Hold }
  | { readonly kind: 'wait'; readonly row: Wait }
  | { readonly kind: 'finding'; readonly row: FindingEpisode }
  | { readonly kind: 'limit'; readonly row: LimitChange }
  | { readonly kind: 'gap'; readonly row: Gap };

/** The record of some subjects in some time, each list by its beginning. */
export interface History {
  readonly episodes: readonly Hold[];
  readonly waits: readonly Wait[];
  readonly findings: readonly FindingEpisode[];
  readonly limits: readonly LimitChange[];
  readonly gaps: readonly Gap[];
}

/** One hour of one subject. It outlives the episodes, and stands for the short holds of hot locks. */
export interface HourFigures {
  readonly subject: HeldSubject;
  /** Start of the hour. */
  readonly hourMs: number;
  readonly holds: number;
  /** Sum over all holds of this hour. */
  readonly heldMs: number;
  /** Percentiles and maximum count only holds that were seen whole; 0: none was. */
  readonly holdP50Ms: number;
  readonly holdP95Ms: number;
  readonly holdMaxMs: number;
  readonly waits: number;
  readonly waitP50Ms: number | null;
  readonly waitP95Ms: number | null;
  readonly waitMaxMs: number | null;
  /** Holds that ended otherwise than by a release. */
  readonly lost: number;
}

/**
 * Precision of the length. `at-least`: the beginning was missed. `at-most`: the end was missed. `unknown`: both were.
 */
export function lastedBasis({
  from,
  to,
}: Pick<Hold, 'from' | 'to'>): 'exact' | 'at-least' | 'at-most' | 'unknown' {
  const [begunBefore, endedBefore] = [from.basis === 'at-least', to?.basis === 'at-most'];
  if (begunBefore) return endedBefore ? 'unknown' : 'at-least';
  return endedBefore ? 'at-most' : 'exact';
}

/** True when it is over and its length is known. */
export const wasSeenWhole = (
  one: Pick<Hold, 'from' | 'to' | 'end'> | Pick<Wait, 'from' | 'to' | 'end'>,
): boolean => one.to !== null && one.end !== 'not-watched' && lastedBasis(one) === 'exact';

/** True when it ended otherwise than by a release. An end in a gap does not count. */
export const wasLost = ({ end }: Pick<Hold, 'end'>): boolean =>
  end !== null && end !== 'released' && end !== 'not-watched';

/** True when no other client held it meanwhile. */
export const heldAlone = ({ subject, mode }: Pick<Hold, 'subject' | 'mode'>): boolean =>
  subject.kind === 'lock' && mode !== 'read';

/** The length until its end or `nowMs`, in milliseconds. */
export const lastedMs = ({ from, to }: Pick<Hold, 'from' | 'to'>, nowMs: number): number =>
  Math.max(0, (to?.atMs ?? nowMs) - from.atMs);
