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
  /** The end of its cookie, after which this row may go. */
  readonly ends_at_ms: Big;
}

/** `body` is the row as JSON (`lib/domain/history/episode.ts`); the other columns are for lookups. */
export interface HistoryTable {
  readonly id: string;
  readonly source: string;
  /** A `subjectId`. Not a digest, because a prefix is asked for as well. */
  readonly subject: string;
  readonly from_ms: Big;
  /** `null`: it continues. */
  readonly to_ms: BigOrNull;
  readonly body: ColumnType<string, string, string>;
}

export interface HistoryPartyTable extends HistoryTable {
  /** The session's id, or the holder's own. */
  readonly party: string;
}

export interface HistoryFindingTable extends HistoryTable {
  readonly code: string;
}

export interface HistoryGapTable extends Omit<HistoryTable, 'subject'> {}

export interface HistoryHourTable {
  readonly source: string;
  readonly subject: string;
  readonly hour_ms: Big;
  readonly body: ColumnType<string, string, string>;
}

/** One row: which process records, and up to when it has written. */
export interface HistoryMarkTable {
  readonly id: number;
  readonly writer: ColumnType<string, string, string>;
  /** The writer alone writes until then, by the store's clock where it has one. */
  readonly lease_until_ms: ColumnType<number | string, number, number>;
  /** The first process began to record then. */
  readonly begun_ms: Big;
  /** Everything until then is written. */
  readonly written_until_ms: ColumnType<number | string, number, number>;
}

/** One row, kept by triggers. */
export interface HistorySizeTable {
  readonly id: number;
  /** About what all rows of the history take. */
  readonly bytes: ColumnType<number | string, number, never>;
  /** The figures of hours among them. */
  readonly hours_bytes: ColumnType<number | string, number, never>;
  /** Rows that ended before were removed for want of room. */
  readonly kept_from_ms: ColumnType<number | string, number, number>;
}

export interface Tables {
  readonly signalbox_migrations: MigrationTable;
  readonly signalbox_audit: AuditTable;
  readonly signalbox_audit_subjects: AuditSubjectTable;
  readonly signalbox_audit_sent: AuditSentTable;
  readonly signalbox_grants: GrantTable;
  readonly signalbox_ended_sign_ins: EndedSignInTable;
  readonly signalbox_history_holds: HistoryPartyTable;
  readonly signalbox_history_waits: HistoryPartyTable;
  readonly signalbox_history_findings: HistoryFindingTable;
  readonly signalbox_history_limits: HistoryTable;
  readonly signalbox_history_gaps: HistoryGapTable;
  readonly signalbox_history_hours: HistoryHourTable;
  readonly signalbox_history_mark: HistoryMarkTable;
  readonly signalbox_history_size: HistorySizeTable;
}
