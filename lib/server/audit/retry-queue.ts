/**
 * Rows that must not be lost although nobody can be kept waiting for them: tried at once, then again and again. Bounded
 * in number; what cannot be kept or is still not written when the server ends stands in the log, whole.
 */
import type { AuditEntry } from '@/lib/domain/actions/audit';
import { errorFields, type Log } from '@/lib/server/process/log';
import type { Audit } from './audit';

export interface AuditLater {
  /** Resolves when the first try is over; never rejects. */
  write(entry: AuditEntry): Promise<void>;
  /** Rows that are not written yet. */
  readonly pending: number;
  /** Tries once more, and tells the log what is left. */
  close(): Promise<void>;
}

export interface AuditLaterOptions {
  readonly audit: Pick<Audit, 'append'>;
  readonly log: Pick<Log, 'error' | 'info'>;
  /** Rows that are kept. */
  readonly max?: number;
  readonly retryMs?: { readonly first: number; readonly longest: number };
}

export function createAuditLater({
  audit,
  log,
  max = 1_000,
  retryMs = { first: 1_000, longest: 30_000 },
}: AuditLaterOptions): AuditLater {
  /** With when each happened, by a clock that nobody sets. */
  const rows: { readonly entry: AuditEntry; readonly since: number }[] = [];
  const trying = new Set<Promise<void>>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let waitMs = retryMs.first;
  let closed = false;

  const lose = (entry: AuditEntry) => log.error({ row: entry }, 'audit row lost');
  const retry = async () => {
    timer = null;
    // One after the other and in their order: the store that refused one would refuse them all.
    while (rows[0] !== undefined) {
      const { entry, since } = rows[0];
      try {
        await audit.append(entry, since);
      } catch {
        waitMs = Math.min(waitMs * 2, retryMs.longest);
        schedule();
        return;
      }
      rows.shift();
    }
    waitMs = retryMs.first;
    log.info('audit rows that could not be written before are written');
  };
  const schedule = () => {
    if (closed || timer !== null) return;
    timer = setTimeout(() => track(retry()), waitMs);
    timer.unref();
  };
  const track = (one: Promise<void>) => {
    trying.add(one);
    void one.finally(() => trying.delete(one));
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
      // After the end nobody tries again.
      if (closed || rows.length >= max) lose(entry);
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
      await Promise.all(trying);
      for (const { entry, since } of rows.splice(0)) {
        try {
          await audit.append(entry, since);
        } catch {
          lose(entry);
          for (const other of rows.splice(0)) lose(other.entry);
        }
      }
    },
  };
}
