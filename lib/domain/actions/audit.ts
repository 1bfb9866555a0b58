/**
 * The record of actions. Rows are only ever added, and each holds the digest of the one before it, so a removed
 * or changed row shows. Rows of one action share a thread: the intent, written before the backend is; the
 * outcome; and what followed. An intent without an outcome means that the server ended in between, and the
 * result is unknown.
 */

import type { Identity } from '@/lib/domain/identity';
import type { ActionType } from './action';

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
