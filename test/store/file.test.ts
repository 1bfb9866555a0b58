/** The file of the embedded store: its permissions, and when a row counts as written. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStore } from '@/lib/server/store/store';
import { freshFolder } from '@/test/support/stores';

test('only this user may read the store, its side files included', async () => {
  const folder = join(freshFolder(), 'deep', 'data');
  const store = openStore({ folder });
  await store.migrate();
  const mode = (name: string) => statSync(join(folder, name)).mode & 0o777;
  expect(mode('')).toBe(0o700);
  for (const name of ['signalbox.db', 'signalbox.db-wal', 'signalbox.db-shm']) expect(mode(name)).toBe(0o600);
  await store.close();
});

test('a commit waits for the disk, and readers do not wait for it', async () => {
  const store = openStore({ folder: join(freshFolder(), 'data') });
  const setting = async (name: string) =>
    Object.values((await sql.raw<object>(`pragma ${name}`).execute(store.db)).rows[0] ?? {});
  expect(await setting('synchronous')).toEqual([2]);
  expect(await setting('journal_mode')).toEqual(['wal']);
  await store.close();
});
