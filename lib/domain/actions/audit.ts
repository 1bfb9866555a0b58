/**
 * The record of who did what. Rows are only ever added, and each holds the digest of the one before it, so that a
 * row that was taken out or changed can be seen. Rows of one action share a thread: the intent, written before
 * anything is written to the backend; the outcome; and what was then seen to follow. An intent without an outcome
 * means that the server ended in between: what came of it is unknown.
 */

import type { Identity } from '@/lib/domain/identity';
import type { ActionType } from './action';

export const auditKinds = [
  /** Written before an action is applied. */
  'intent',
  /** What came of it, as the backend told or as was read afterwards. */
  'outcome',
  /** What was seen to happen to the subject afterwards. */
  'followed',
  /** The server ended between intent and outcome; nobody can tell what came of it but the backend's own state. */
  'unknown',
  /** An action that was refused before it was begun. */
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

/** What can be written as JSON. Never a token, never a stored value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What the caller of the audit says; the rest of a row is made when it is written. */
export interface AuditEntry {
  readonly kind: AuditKind;
  /** Joins the rows of one action, sign-in or grant. */
  readonly thread: string;
  readonly who: Identity;
  /** The person's address; `null`: not known. */
  readonly address: string | null;
  readonly action: ActionType | null;
  /** `subjectId`s: `lock:<key>`, `semaphore:<prefix>`, `session:<id>`. */
  readonly subjects: readonly string[];
  readonly reason: string;
  /** Codes and facts: what was seen, what was written, what came of it. */
  readonly detail: { readonly [key: string]: Json };
}

export interface AuditRow extends AuditEntry {
  /** Place in the chain, from 1, without gaps. */
  readonly seq: number;
  readonly atMs: number;
  /** Which server process wrote it. */
  readonly replica: string;
  /** SHA-256, hex, of the row before; 64 zeros for the first. */
  readonly before: string;
  /** SHA-256, hex, of this row, `before` included. */
  readonly digest: string;
}
