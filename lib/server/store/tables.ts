/**
 * The tables as Kysely knows them. Postgres returns 64-bit numbers as text and SQLite as numbers: read them with
 * `Number`. A Postgres database may be shared, so every name begins with `signalbox_`.
 */
import type { ColumnType } from 'kysely';

/** Stays below 2^53: a place in the chain, an instant. */
export type Big = ColumnType<number | string, number, never>;

/** `body` is the row itself, as JSON; the other columns are for lookups. */
export interface AuditTable {
  readonly seq: Big;
  readonly at_ms: Big;
  readonly kind: string;
  readonly thread: string;
  /** SHA-256, hex, of the person's `identityKey`. */
  readonly person: string;
  /** Canonical JSON of everything but `digest`. */
  readonly body: string;
  /** SHA-256, hex, of `body`, which contains the previous row's digest. */
  readonly digest: string;
}

export interface AuditSubjectTable {
  readonly seq: Big;
  /** SHA-256, hex, of the `subjectId`. */
  readonly subject: string;
}

export interface AuditSentTable {
  readonly receiver: string;
  /** The last row that the receiver accepted. */
  readonly seq: ColumnType<number | string, number, number>;
  /** The replica that sends until `until_ms`. */
  readonly sender: string;
  readonly until_ms: ColumnType<number | string, number, number>;
}

export interface MigrationTable {
  readonly name: string;
  readonly at_ms: Big;
}

export type BigOrNull = ColumnType<number | string | null, number | null, number | null>;

/** `scope` and `made_by` are JSON. */
export interface GrantTable {
  readonly id: string;
  /** SHA-256, hex, of the link's secret. */
  readonly digest: string;
  readonly scope: string;
  /** SHA-256, hex, of the maker's `identityKey`. */
  readonly person: string;
  readonly made_by: string;
  readonly made_at_ms: Big;
  readonly ends_at_ms: BigOrNull;
  readonly paused_at_ms: BigOrNull;
  readonly revoked_at_ms: BigOrNull;
  readonly used_at_ms: BigOrNull;
  /** `null`: none is kept (`sealed-token.ts`). */
  readonly sealed: ColumnType<string | null, string | null, string | null>;
  readonly token_ends_at_ms: BigOrNull;
  readonly lost_at_ms: BigOrNull;
}

export interface EndedSignInTable {
  /** SHA-256, hex, of the sign-in's random id. */
  readonly digest: string;
  /** Its cookie's end, after which this row may go. */
  readonly ends_at_ms: Big;
}

export interface Tables {
  readonly signalbox_migrations: MigrationTable;
  readonly signalbox_audit: AuditTable;
  readonly signalbox_audit_subjects: AuditSubjectTable;
  readonly signalbox_audit_sent: AuditSentTable;
  readonly signalbox_grants: GrantTable;
  readonly signalbox_ended_sign_ins: EndedSignInTable;
}
