/**
 * The record of actions. Rows are only ever added, and each holds the digest of the one before it, so a removed
 * or changed row shows. Rows of one action share a thread: the intent, written before the backend is; the
 * outcome; and what followed. An intent without an outcome means that the server ended in between, and the
 * result is unknown.
 */

import type { Identity } from '@/lib/domain/identity';
import type { ActionType } from './action';
import type { Whom } from './whom';

export const auditKinds = [
  /** Written before an action is applied. */
  'intent',
  /** The result, as the backend reported it or as read afterwards. */
  'outcome',
  /** The later events of the subject. */
  'followed',
  /** The server ended between intent and outcome; only the backend's own state shows the result. */
  'unknown',
  /** An action that was refused before it began. */
  'refused',
  'sign-in',
  'sign-in-refused',
  'sign-out',
  'grant-created',
  'grant-paused',
  'grant-resumed',
  'grant-revoked',
] as const;
export type AuditKind = (typeof auditKinds)[number];

/** Any JSON value. Never a token, never a stored value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The caller's part of a row; the audit adds the rest. */
export interface AuditEntry {
  readonly kind: AuditKind;
  /** Joins the rows of one action, sign-in or grant. */
  readonly thread: string;
  readonly who: Identity;
  /** The person's address; `null`: unknown. */
  readonly address: string | null;
  readonly action: ActionType | null;
  /** `subjectId`s: `lock:<key>`, `semaphore:<prefix>`, `session:<id>`. */
  readonly subjects: readonly string[];
  readonly reason: string;
  /** Codes and facts: what was seen, written and achieved. */
  readonly detail: { readonly [key: string]: Json };
}

export interface AuditRow extends AuditEntry {
  /** Place in the chain, from 1, without gaps. */
  readonly seq: number;
  readonly atMs: number;
  /** The server process that wrote it. */
  readonly replica: string;
  /** SHA-256, hex, of the row before; 64 zeros for the first. */
  readonly before: string;
  /** SHA-256, hex, of this row, `before` included. */
  readonly digest: string;
}

/** The detail of a `followed` row: one subject, in the person's own view of the world. */
export interface FollowedSubject {
  /** A `subjectId`. */
  readonly subject: string;
  readonly what:
    | /** The subject, or a slot of it, has a new holder: `by`. */ 'taken'
    | /** The subject is free, or no newcomer holds a slot. */ 'nobody-came'
    | /** The key is under a lock-delay, until `untilMs` where known. */ 'in-delay'
    | /** The subject is no longer there. */ 'gone'
    | /** The new limit is there, without a new holder. */ 'limit-changed'
    | /** The stored number of free permits has changed. */ 'permits-changed'
    | /** The view has not shown the action's effect: it was stale, or nothing changed. */ 'not-seen';
  /** Sessions, for `taken`. */
  readonly by?: readonly string[];
  /** The sessions in `by` that belong to returned clients. Absent where none is known to have returned. */
  readonly again?: readonly string[];
  /** The clients in `by` and `left`, with their names. Absent in older rows. */
  readonly whom?: readonly Whom[];
  /** The time after the outcome, in milliseconds, for `taken` and `gone`. */
  readonly afterMs?: number;
  /** The same for each in `by`; the first has `afterMs`. Absent in older rows. */
  readonly eachMs?: readonly number[];
  readonly untilMs?: number | null;
  /** For a new limit, the number of earlier waiters; `waiting` of them are still listed. Absent in older rows. */
  readonly waited?: number;
  readonly waiting?: number;
  /**
   * The number of them that stopped waiting without a slot. `left` names the first, `leftMs` has the times at which
   * they were gone.
   */
  readonly leftInAll?: number;
  readonly left?: readonly string[];
  readonly leftMs?: readonly number[];
}

export interface Followed {
  /** The time for which the subjects were watched, in milliseconds. */
  readonly watchedMs: number;
  /** The server ended before the time was over. */
  readonly cutShort: boolean;
  /** The freshness of the view at the end. */
  readonly source: 'live' | 'catching-up' | 'stale' | 'down';
  readonly subjects: readonly FollowedSubject[];
  /** Subjects that were not watched, because there were too many. */
  readonly more: number;
}
