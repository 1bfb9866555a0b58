/** Where the server keeps what the backend does not: a file of its own, or a Postgres database that replicas share. */
import { Kysely, sql } from 'kysely';
import { exclusively } from './exclusively';
import { migrations } from './migrations';
import { postgresDialect } from './postgres';
import { sqliteDialect } from './sqlite';
import type { Tables } from './tables';

export interface Store {
  readonly db: Kysely<Tables>;
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Resolves when every table is there; await it before the first query. Run by several processes at once, each
   * migration runs in one of them. A call after one that failed tries again.
   */
  migrate(): Promise<void>;
  close(): Promise<void>;
}

/** How long a process waits for another one that migrates; less than a query may take (`postgres.ts`). */
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
 * Opens nothing yet: the first query does, so that a store that is away does not keep the server from starting.
 * `onError`: a connection broke while nobody used it.
 */
export function openStore(
  where: { readonly folder: string } | { readonly postgres: string },
  onError: (error: Error) => void = () => {},
): Store {
  const dialect = 'folder' in where ? 'sqlite' : 'postgres';
  const db = new Kysely<Tables>({
    dialect: 'folder' in where ? sqliteDialect(where.folder) : postgresDialect(where.postgres, onError),
  });
  let migrated: Promise<void> | null = null;
  return {
    db,
    dialect,
    migrate: () => {
      migrated ??= migrate({ db, dialect }).catch((error: unknown) => {
        migrated = null;
        throw error;
      });
      return migrated;
    },
    close: () => db.destroy(),
  };
}
