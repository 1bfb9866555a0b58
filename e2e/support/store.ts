/** On which store the servers of a file run: SQLite, unless the file says `test.use({ store: 'postgres' })`. */
import { test as base } from '@playwright/test';
import { claimPorts } from '@/scripts/ports.mjs';
import { findPostgres, startPostgres } from '@/scripts/postgres.mjs';
import { newDatabase } from '@/test/support/database';

/** For one server: a store of its own. */
export type NewStore = () => Promise<Readonly<Record<string, string>>>;

export const test = base.extend<object, { store: 'sqlite' | 'postgres'; newStore: NewStore }>({
  store: ['sqlite', { scope: 'worker', option: true }],
  newStore: [
    async ({ store }, use) => {
      if (store === 'sqlite') return use(async () => ({}));
      const missing = await findPostgres().then(
        () => null,
        (error: Error) => error,
      );
      // Never without a word; in continuous integration it must be there.
      if (missing !== null) {
        if (process.env.CI) throw missing;
        console.warn(`!! ON SQLITE INSTEAD: a file that is about Postgres as well. ${missing.message}`);
        return use(async () => ({}));
      }
      const block = await claimPorts(1);
      const postgres = await startPostgres({ port: block.ports[0] ?? 0 });
      await use(async () => ({ DATABASE_URL: await newDatabase(postgres) }));
      await postgres.stop();
      block.release();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});
