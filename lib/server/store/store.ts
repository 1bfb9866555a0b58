/** The server's own data: in a file, or in a Postgres database that replicas share. */
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type { Log } from '@/lib/server/process/log';
import { isMigrated, migrate } from './migrate';
import { type Migration, migrations } from './migrations';
import { postgresDialect } from './postgres';
import { sqliteFile } from './sqlite';
import type { Tables } from './tables';

export interface Store {
  readonly db: Kysely<Tables>;
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Await it before a query. Each migration runs in one process only. A call gives up after `callerMs`, while the
   * migrations continue. A call after a failure tries again, and so does one that finds the file replaced.
   */
  migrate(): Promise<void>;
  /** Counts how often the file was found replaced. */
  generation(): number;
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly log?: Pick<Log, 'info'>;
  readonly steps?: readonly Migration[];
  /** Longest wait for the migrations. */
  readonly callerMs?: number;
  /** Longest query on Postgres. */
  readonly queryMs?: number;
  /** On Postgres: longest statement of a migration, and longest wait for a replica that migrates. */
  readonly migrationMs?: number;
}

/** `callerMs` is shorter than `queryMs`. An index over a large history takes minutes. */
const limits = { callerMs: 9_000, queryMs: 10_000, migrationMs: 30 * 60_000 };

async function waitFor(migrated: Promise<void>, ms: number): Promise<void> {
  const end = new AbortController();
  const late = delay(ms, undefined, { signal: end.signal }).then(() => {
    throw new Error(`the store was not migrated within ${ms} ms`);
  });
  await Promise.race([migrated, late]).finally(() => end.abort());
}

/**
 * The first query opens the store, so that an absent one does not prevent the start. `onError`: an idle connection
 * broke, or the file was replaced.
 */
export function openStore(
  where: { readonly folder: string } | { readonly postgres: string },
  onError: (error: Error) => void = () => {},
  options: StoreOptions = {},
): Store {
  const { steps = migrations, log, callerMs, queryMs, migrationMs } = { ...limits, ...options };
  const dialect = 'folder' in where ? 'sqlite' : 'postgres';
  const home =
    'folder' in where
      ? sqliteFile(where.folder)
      : {
          dialect: postgresDialect(where.postgres, { connectionsMax: 4, queryMs }, onError),
          // The server's own limit ends a statement first.
          migrations: postgresDialect(
            where.postgres,
            { connectionsMax: 1, queryMs: migrationMs + queryMs },
            onError,
          ),
          leaveMoved: () => false,
        };
  const db = new Kysely<Tables>({ dialect: home.dialect });
  const slow = 'migrations' in home ? new Kysely<Tables>({ dialect: home.migrations }) : null;
  const run = async () => {
    if (slow === null) await migrate({ db, dialect }, steps, callerMs, log);
    else if (!(await isMigrated(db, steps))) await migrate({ db: slow, dialect }, steps, migrationMs, log);
  };
  let migrated: Promise<void> | null = null;
  let isReady = false;
  let generation = 0;
  return {
    db,
    dialect,
    migrate: () => {
      if (home.leaveMoved()) {
        [migrated, isReady] = [null, false];
        generation += 1;
        onError(new Error('the file of the store was removed or replaced; it is opened anew'));
      }
      migrated ??= run().then(
        () => {
          isReady = true;
        },
        (error: unknown) => {
          migrated = null;
          throw error;
        },
      );
      // Each query comes by here, and hardly one has to wait.
      return isReady ? migrated : waitFor(migrated, callerMs);
    },
    generation: () => generation,
    close: async () => {
      await db.destroy();
      // A shutdown does not wait for a migration. Postgres undoes it when the connection ends.
      slow?.destroy().catch(onError);
    },
  };
}
