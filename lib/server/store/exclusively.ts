/**
 * One writer at a time over all processes: SQLite by its own write lock, Postgres by an advisory lock that ends with
 * the transaction.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { isBusy } from './sqlite';
import type { Tables } from './tables';

/** Postgres advisory locks: the numbers must never change. */
export const locks = {
  migrations: 5_341_000_001,
  audit: 5_341_000_002,
  grants: 5_341_000_003,
  history: 5_341_000_004,
} as const;

/** A process that hangs does not keep the lock for longer, whatever its statements may take. */
const idleMs = 10_000;

export interface ExclusivelyOptions {
  readonly lock: keyof typeof locks;
  /** Longest wait for the lock, and for each statement. After it, no new try begins. */
  readonly waitMs: number;
}

export interface Target {
  readonly db: Kysely<Tables>;
  readonly dialect: 'sqlite' | 'postgres';
}

function begin({ dialect }: Target, { lock }: ExclusivelyOptions, leftMs: number) {
  if (dialect === 'sqlite') return sql.raw('begin immediate');
  const timeout = Math.max(1, Math.round(leftMs));
  // One round trip. An acknowledged commit must be on disk, whatever the database's default.
  return sql.raw(
    [
      'begin',
      `set local statement_timeout = ${timeout}`,
      `set local idle_in_transaction_session_timeout = ${Math.min(timeout, idleMs)}`,
      "select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'",
      `select pg_advisory_xact_lock(${locks[lock]})`,
    ].join('; '),
  );
}

/**
 * Runs `work` in a transaction that alone holds the lock. Throws the database's error; then the store is unchanged,
 * unless the connection broke during the commit.
 */
export async function exclusively<T>(
  target: Target,
  options: ExclusivelyOptions,
  work: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const endMs = performance.now() + options.waitMs;
  const once = () =>
    target.db.connection().execute(async (db) => {
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) throw new Error(`the store was busy for ${options.waitMs} ms`);
      try {
        await begin(target, options, leftMs).execute(db);
        const result = await work(db);
        await sql.raw('commit').execute(db);
        return result;
      } catch (error) {
        // Without a transaction the rollback fails; the first error is the useful one.
        await sql
          .raw('rollback')
          .execute(db)
          .catch(() => undefined);
        throw error;
      }
    });
  for (;;) {
    try {
      return await once();
    } catch (error) {
      if (!isBusy(error) || performance.now() > endMs) throw error;
      // SQLite has no queue: frequent tries at random times win a turn among constant writers.
      await delay(1 + Math.random() * 10);
    }
  }
}
