/** The later events of an action's subjects: the detail of the audit's `followed` rows. */

import type { Whom } from './whom';

/** One subject, in the person's own view of the world. */
export interface FollowedSubject {
  /** A `subjectId`. */
  readonly subject: string;
  readonly what:
    | /** It has a new holder, or a slot has: `by`. */ 'taken'
    | /** It is free, or no newcomer holds a slot. */ 'nobody-came'
    | /** It is under a lock-delay, until `untilMs` where known. */ 'in-delay'
    | /** It is no longer there. */ 'gone'
    | /** The new limit is there, without a new holder. */ 'limit-changed'
    | /** The view has not shown the action's effect: it was stale, or nothing changed. */ 'not-seen';
  /** Sessions, for `taken`. */
  readonly by?: readonly string[];
  /** The sessions in `by` that belong to returned clients. Absent where none is known to have returned. */
  readonly again?: readonly string[];
  /** Those in `by` and `left`, named. Absent in older rows. */
  readonly whom?: readonly Whom[];
  /** The time after the outcome, in milliseconds, for `taken` and `gone`. */
  readonly afterMs?: number;
  /** The same for each in `by`; the first has `afterMs`. Absent in older rows. */
  readonly eachMs?: readonly number[];
  readonly untilMs?: number | null;
  /**
   * For a new limit: how many waited before it, and how many of them are still listed as waiting. Absent in
   * older rows.
   */
  readonly waited?: number;
  readonly waiting?: number;
  /** How many of them stopped waiting without a slot; the first of them, and when each was seen to be gone. */
  readonly leftInAll?: number;
  readonly left?: readonly string[];
  readonly leftMs?: readonly number[];
}

export interface Followed {
  /** How long it was watched, in milliseconds. */
  readonly watchedMs: number;
  /** The server ended before the time was over. */
  readonly cutShort: boolean;
  /** How fresh the view was at the end. */
  readonly source: 'live' | 'catching-up' | 'stale' | 'down';
  readonly subjects: readonly FollowedSubject[];
  /** Subjects that were not watched, because there were too many. */
  readonly more: number;
}
