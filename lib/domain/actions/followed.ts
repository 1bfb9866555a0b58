/** What was seen to happen to the subjects of an action after it: the detail of the audit's `followed` rows. */

import type { Whom } from './whom';

/** One subject, as the person's own view of the world showed it. */
export interface FollowedSubject {
  /** A `subjectId`. */
  readonly subject: string;
  readonly what:
    | /** Somebody holds it, or has come to hold a slot, who did not before: `by`. */ 'taken'
    | /** It is free, or no newcomer holds a slot. */ 'nobody-came'
    | /** Nobody can take it: it is under a lock-delay, until `untilMs` where that is known. */ 'in-delay'
    | /** It is no longer there. */ 'gone'
    | /** Of a new limit: it is there, and nobody new holds a slot. */ 'limit-changed'
    | /** The view has not shown the effect of the action: it was stale, or nothing changed. */ 'not-seen';
  /** Sessions, for `taken`. */
  readonly by?: readonly string[];
  /** Of those in `by`, the new sessions of clients that held it before. Absent where none is known to have returned. */
  readonly again?: readonly string[];
  /** Those in `by` and `left`, named. Absent in rows that were written before they were. */
  readonly whom?: readonly Whom[];
  /** How long after the outcome, in milliseconds, for `taken` and `gone`. */
  readonly afterMs?: number;
  /** The same for each in `by`, of which the first came after `afterMs`. Absent in rows that were written before it was told. */
  readonly eachMs?: readonly number[];
  readonly untilMs?: number | null;
  /** Of a new limit: how many waited before it, and how many of them are still listed as waiting. Absent in older rows. */
  readonly waited?: number;
  readonly waiting?: number;
  /** How many of them wait no longer and have not come to hold a slot; the first of them, and when each was seen to be gone. */
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
  /** Subjects that were not watched, because there were so many. */
  readonly more: number;
}
