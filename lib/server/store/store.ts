/** The server's own data: in a file, or in a Postgres database that replicas share. */
import { Kysely, sql } from 'kysely';
import { exclusively } from './exclusively';
import { migrations } from './migrations';
import { postgresDialect } from './postgres';
import { sqliteFile } from './sqlite';
import type { Tables } from './tables';

export interface Store {
  readonly db: Kysely<Tables>;
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Await it before a query. Each migration runs in one process only. A call after a failure tries again, and so does
   * one that finds the file replaced.
   */
  migrate(): Promise<void>;
  /** Counts how often the file was found replaced. */
  generation(): number;
  close(): Promise<void>;
}

/** Shorter than a query's limit (`postgres.ts`). */
const migrateMs = 9_000;

async function migrate(store: Pick<Store, 'db' | 'dialect'>): Promise<void> {
  await exclusively(store, { lock: 'migrations', waitMs: migrateMs }, async (db) => {
    await sql
      .raw('create table if not exists signalbox_migrations (name text primary key, at_ms bigint not null)')
      .execute(db);
    const rows = await db.selectFrom('signalbox_migrations').select('name').execute();
    const ran = new Set(rows.map(({ name }) => name));
    for (const { name, up } of migrations) {
      if (ran.has(name)) continue;
      await up(db, store.dialect);
      await db.insertInto('signalbox_migrations').values({ name, at_ms: Date.now() }).execute();
    }
  });
}

/**
 * The first query opens the store, so that an absent one does not prevent the start. `onError`: an idle connection
 * broke, or the file was replaced.
 */
export function openStore(
  where: { readonly folder: string } | { readonly postgres: string },
  onError: (error: Error) => void = () => {},
): Store {
  const dialect = 'folder' in where ? 'sqlite' : 'postgres';
  const home =
    'folder' in where
      ? sqliteFile(where.folder)
      : { dialect: postgresDialect(where.postgres, onError), leaveMoved: () => false };
  const db = new Kysely<Tables>({ dialect: home.dialect });
  let migrated: Promise<void> | null = null;
  let generation = 0;
  return {
    db,
    dialect,
    migrate: () => {
      if (home.leaveMoved()) {
        migrated = null;
        generation += 1;
        onError(new Error('the file of the store was removed or replaced; it is opened anew'));
      }
      migrated ??= migrate({ db, dialect }).catch((error: unknown) => {
        migrated = null;
        throw error;
      });
      return migrated;
    },
    generation: () => generation,
    close: () => db.destroy(),
  };
}
