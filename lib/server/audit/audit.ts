/** The audit as the server writes and reads it. */
import type { AuditEntry, AuditRow } from '@/lib/domain/actions/audit';

export interface AuditQuery {
  /** Rows with a lower `seq`; `null`: from the newest. */
  readonly below: number | null;
  /** At most so many rows, newest first. */
  readonly limit: number;
  readonly kind?: AuditRow['kind'];
  readonly thread?: string;
  /** A `subjectId`, whole. */
  readonly subject?: string;
  /** A `identityKey`, whole. */
  readonly person?: string;
  /** By the clock of the store, in epoch milliseconds, both inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface Audit {
  /**
   * Resolves once the row is on disk. Rejects with a `ProblemError` (`unavailable`, `audit-not-written`) within seconds,
   * whatever the store does. What a thread has once (intent, outcome, what followed, unknown) is written once: a second
   * call resolves with the row that is there. `since`: when it happened, by `performance.now()`, for a row that was kept
   * waiting: its time is that of the event, and `detail.lateMs` says how much later it was written.
   */
  append(entry: AuditEntry, since?: number): Promise<AuditRow>;
  read(query: AuditQuery): Promise<readonly AuditRow[]>;
  /** Walks the whole chain. `brokenAt`: the first row that does not fit; `null`: it is whole. */
  verify(): Promise<{
    readonly rows: number;
    readonly brokenAt: number | null;
    readonly head: string | null;
  }>;
  close(): Promise<void>;
}
