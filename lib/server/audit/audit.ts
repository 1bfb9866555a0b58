import type { AuditEntry, AuditRow } from '@/lib/domain/actions/audit';

export interface AuditQuery {
  /** Rows with a lower `seq`; `null`: from the newest. */
  readonly below: number | null;
  /** At most this many rows, newest first. */
  readonly limit: number;
  readonly kind?: AuditRow['kind'];
  readonly thread?: string;
  /** A complete `subjectId`. */
  readonly subject?: string;
  /** A complete `identityKey`. */
  readonly person?: string;
  /** The range by the store's clock, in epoch milliseconds, both inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface Audit {
  /**
   * Resolves once the row is on disk. Rejects with a `ProblemError` (`unavailable`, `audit-not-written`) within
   * seconds. Each thread has one row of each kind `intent`, `outcome`, `followed`, `unknown` and `refused`: a second
   * call resolves with the existing row. `since`: the time of a delayed event, by `performance.now()`; the row has that
   * time, and `detail.lateMs` the delay.
   */
  append(entry: AuditEntry, since?: number): Promise<AuditRow>;
  read(query: AuditQuery): Promise<readonly AuditRow[]>;
  /** Walks the whole chain. `brokenAt`: the first row that does not fit; `null`: the chain is intact. */
  verify(): Promise<{
    readonly rows: number;
    readonly brokenAt: number | null;
    readonly head: string | null;
  }>;
  close(): Promise<void>;
}
