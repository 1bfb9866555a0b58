/**
 * Writes rows that must not be lost and that no request can wait for. Rows that do not fit, or are unwritten at
 * shutdown, go to the log in full.
 */
import type { AuditEntry } from '@/lib/domain/actions/audit';
import { errorFields, type Log } from '@/lib/server/process/log';
import type { Audit } from './audit';

export interface AuditLater {
  /** Resolves after the first try; never rejects. */
  write(entry: AuditEntry): Promise<void>;
  readonly pending: number;
  /** Tries once more, and logs the remaining rows. */
  close(): Promise<void>;
}

export interface AuditLaterOptions {
  readonly audit: Pick<Audit, 'append'>;
  readonly log: Pick<Log, 'error' | 'info'>;
  readonly max?: number;
  readonly retryMs?: { readonly first: number; readonly longest: number };
}

export function createAuditLater({
  audit,
  log,
  max = 1_000,
  retryMs = { first: 1_000, longest: 30_000 },
}: AuditLaterOptions): AuditLater {
  const rows: { readonly entry: AuditEntry; readonly since: number }[] = [];
  const attempts = new Set<Promise<void>>();
  /** Until the retry has ended. A second one beside it would take a row for written that the first still writes. */
  let timer: ReturnType<typeof setTimeout> | null = null;
  let waitMs = retryMs.first;
  let closed = false;

  const logLost = (entry: AuditEntry) => log.error({ row: entry }, 'audit row lost');
  const retry = async () => {
    // A store that refuses one row refuses them all.
    while (rows[0] !== undefined) {
      const { entry, since } = rows[0];
      try {
        await audit.append(entry, since);
      } catch {
        timer = null;
        waitMs = Math.min(waitMs * 2, retryMs.longest);
        schedule();
        return;
      }
      rows.shift();
    }
    timer = null;
    waitMs = retryMs.first;
    log.info('audit rows that could not be written before are written');
  };
  const schedule = () => {
    if (closed || timer !== null) return;
    timer = setTimeout(() => track(retry()), waitMs);
    timer.unref();
  };
  const track = (one: Promise<void>) => {
    attempts.add(one);
    void one.finally(() => attempts.delete(one));
    return one;
  };
  const write = async (entry: AuditEntry) => {
    const since = performance.now();
    try {
      await audit.append(entry, since);
    } catch (error) {
      const { kind, thread } = entry;
      log.error(
        { ...errorFields(error), cause: errorFields((error as Error).cause), kind, thread },
        'audit row not written',
      );
      if (closed || rows.length >= max) logLost(entry);
      else rows.push({ entry, since });
      schedule();
    }
  };

  return {
    write: (entry) => track(write(entry)),
    get pending() {
      return rows.length;
    },
    close: async () => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await Promise.all(attempts);
      for (const { entry, since } of rows.splice(0)) {
        try {
          await audit.append(entry, since);
        } catch {
          logLost(entry);
          for (const other of rows.splice(0)) logLost(other.entry);
        }
      }
    },
  };
}
