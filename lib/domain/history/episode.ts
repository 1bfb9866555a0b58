/**
 * What was seen of locks over time. Pure data, the same on the server, on the wire and in the browser.
 *
 * Glossary
 * - Episode: one hold, from when it began until it ended.
 * - Wait: one place in a visible queue.
 * - Gap: a time in which Signalbox did not see a source. Nothing is known of it, so it is never drawn as idle or free.
 *
 * Values and tokens are not kept. Names are as sensitive as keys.
 */
import type { FindingCode, Severity } from '@/lib/domain/findings/finding';
import type { Subject, Verdict } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';

/**
 * `observed`: Signalbox saw it happen, at most one read late. `at-least`: it was so already when Signalbox looked first.
 * `at-most`: it was no longer so when Signalbox looked again, after a gap. `value`: the client wrote this time itself.
 */
export interface Moment {
  readonly atMs: number;
  readonly basis: 'observed' | 'at-least' | 'at-most' | 'value';
}

/** Who held or waited, as Signalbox named it then. */
export interface Who {
  /** The session's id, or the holder's own where the backend has no sessions. */
  readonly id: string;
  readonly label: string;
  /** `null`: the session was not visible, or the backend has none. */
  readonly name: string | null;
  readonly node: string | null;
}

/**
 * - `released`: let go, and its session went on. One living holder that another program takes off a record in the record's
 *   own form looks the same.
 * - `session-ended`: its session was gone at the same look.
 * - `lease-ended`: its lease had run out.
 * - `evicted-here`: by an action of Signalbox.
 * - `entry-deleted`: the lock or the semaphore's record was gone, and its session went on.
 * - `entry-overwritten`: the record lost its form or its flags, or several holders at once whose own entries stayed.
 * - `not-watched`: in a gap, or while nobody could tell who held it.
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

/** An action of Signalbox, as the audit has it. */
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
  /** In their order, at most `verdictsMax`. */
  readonly verdicts: readonly VerdictMark[];
  /** The most that were seen to wait meanwhile; `null`: the backend does not show that nobody does. */
  readonly waitersMax: number | null;
  /** The lock-delay that followed; `null`: none was seen. */
  readonly delayMs: number | null;
  /** The fencing token; `null`: there is none. */
  readonly token: string | null;
}

/** What can be held. */
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

/** `action`: one of Signalbox on that subject. `time`: a TTL, a lease or a check ended it. `client`: anything else. */
export const clearings = ['action', 'time', 'client', 'not-watched'] as const;
export type Clearing = (typeof clearings)[number];

export interface FindingEpisode {
  readonly id: string;
  readonly code: FindingCode;
  readonly subject: Subject;
  readonly from: Moment;
  readonly to: Moment | null;
  /** In their order, the first at its opening; at most `verdictsMax`. */
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
 * Nothing was seen of this source. `restart`: Signalbox did not run, or had not read it yet. `behind`: more happened than could be written.
 */
export interface Gap {
  readonly id: string;
  readonly source: SourceId;
  readonly fromMs: number;
  /** `null`: it goes on. */
  readonly toMs: number | null;
  readonly why: 'outage' | 'restart' | 'behind';
}

/** Marks of one hold or finding beyond which only the last is replaced. */
export const verdictsMax = 32;

/** What the recorder writes: the row of this id, as it is now. */
export type HistoryRow =
  | { readonly kind: 'hold'; readonly row: Hold }
  | { readonly kind: 'wait'; readonly row: Wait }
  | { readonly kind: 'finding'; readonly row: FindingEpisode }
  | { readonly kind: 'limit'; readonly row: LimitChange }
  | { readonly kind: 'gap'; readonly row: Gap };

/** What is kept of some subjects in some time, each list by its beginning. */
export interface History {
  readonly episodes: readonly Hold[];
  readonly waits: readonly Wait[];
  readonly findings: readonly FindingEpisode[];
  readonly limits: readonly LimitChange[];
  readonly gaps: readonly Gap[];
}

/** One hour of one subject, kept when its episodes are not any more, and for locks too hot to keep each hold. */
export interface HourFigures {
  readonly subject: HeldSubject;
  /** Its beginning. */
  readonly hourMs: number;
  readonly holds: number;
  /** All holds together, of this hour. */
  readonly heldMs: number;
  /** This and the longest are of those that were seen whole; 0: none was. */
  readonly holdP50Ms: number;
  readonly holdP95Ms: number;
  readonly holdMaxMs: number;
  readonly waits: number;
  readonly waitP50Ms: number | null;
  readonly waitP95Ms: number | null;
  readonly waitMaxMs: number | null;
  /** How many were seen to end otherwise than by being released. */
  readonly lost: number;
}

/** What is known of its length: `at-least` where its beginning was missed, `at-most` where its end was, `unknown` where both. */
export function lastedBasis({
  from,
  to,
}: Pick<Hold, 'from' | 'to'>): 'exact' | 'at-least' | 'at-most' | 'unknown' {
  const [begunBefore, endedBefore] = [from.basis === 'at-least', to?.basis === 'at-most'];
  if (begunBefore) return endedBefore ? 'unknown' : 'at-least';
  return endedBefore ? 'at-most' : 'exact';
}

/** It is over, and how long it lasted is known. */
export const wasSeenWhole = (
  one: Pick<Hold, 'from' | 'to' | 'end'> | Pick<Wait, 'from' | 'to' | 'end'>,
): boolean => one.to !== null && one.end !== 'not-watched' && lastedBasis(one) === 'exact';

/** It was seen to end otherwise than by being released. In a gap nobody saw how. */
export const wasLost = ({ end }: Pick<Hold, 'end'>): boolean =>
  end !== null && end !== 'released' && end !== 'not-watched';

/** Nobody else held it meanwhile. */
export const heldAlone = ({ subject, mode }: Pick<Hold, 'subject' | 'mode'>): boolean =>
  subject.kind === 'lock' && mode !== 'read';

/** How long it lasted, or lasts until `nowMs`, in milliseconds. */
export const lastedMs = ({ from, to }: Pick<Hold, 'from' | 'to'>, nowMs: number): number =>
  Math.max(0, (to?.atMs ?? nowMs) - from.atMs);
