/** Runs the migrations that a store has not had, each in one process only. */
import { type Kysely, sql } from 'kysely';
import type { Log } from '@/lib/server/process/log';
import { exclusively, type Target } from './exclusively';
import type { Migration } from './migrations';
import type { Tables } from './tables';

async function namesIn(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('signalbox_migrations').select('name').execute();
  return new Set(rows.map(({ name }) => name));
}

/** For Postgres. Asks within the limit of any query, so that only a store with migrations to run can take longer. */
export async function isMigrated(db: Kysely<Tables>, steps: readonly Migration[]): Promise<boolean> {
  try {
    const ran = await namesIn(db);
    return steps.every(({ name }) => ran.has(name));
  } catch (error) {
    const isNew = error instanceof Error && 'code' in error && error.code === '42P01';
    if (isNew) return false;
    throw error;
  }
}

/** `waitMs`: as for `exclusively`. */
export async function migrate(
  store: Target,
  steps: readonly Migration[],
  waitMs: number,
  log?: Pick<Log, 'info'>,
): Promise<void> {
  await exclusively(store, { lock: 'migrations', waitMs }, async (db) => {
    await sql
      .raw('create table if not exists signalbox_migrations (name text primary key, at_ms bigint not null)')
      .execute(db);
    const ran = await namesIn(db);
    // In a new store none takes long.
    const note = ran.size === 0 ? undefined : log;
    for (const { name, up } of steps) {
      if (ran.has(name)) continue;
      note?.info({ migration: name }, 'a migration of the store begins');
      const beganMs = performance.now();
      await up(db, store.dialect);
      await db.insertInto('signalbox_migrations').values({ name, at_ms: Date.now() }).execute();
      const seconds = Math.round(performance.now() - beganMs) / 1_000;
      note?.info({ migration: name, seconds }, 'a migration of the store has run');
    }
  });
}
