/** The file of the embedded store, taken away, replaced and held by another process, under a server that writes. */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'libsql';
import { expect, test } from 'vitest';
import type { AuditEntry } from '@/lib/domain/actions/audit';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { openStore } from '@/lib/server/store/store';
import { entryOf } from '@/test/support/audit';
import { freshFolder } from '@/test/support/stores';

const entry = (reason: string, kind: AuditEntry['kind'] = 'sign-in') =>
  entryOf({ kind, thread: reason, reason });

function start(folder: string) {
  const said: string[] = [];
  const store = openStore({ folder }, ({ message }) => said.push(message));
  const audit = createAuditLog({ store, replica: 'here', now: Date.now });
  const end = () => store.close();
  return { said, store, audit, end };
}

/** What a newly started server finds there, oldest first. */
async function found(folder: string): Promise<readonly string[]> {
  const { audit, end } = start(folder);
  const rows = await audit.read({ below: null, limit: 1_000 });
  expect(await audit.verify()).toMatchObject({ brokenAt: null });
  await end();
  return rows.map(({ reason }) => reason).reverse();
}

const losses: readonly {
  readonly what: string;
  lose(folder: string): void;
  readonly kept: readonly string[];
}[] = [
  {
    what: 'the folder is removed',
    lose: (folder) => rmSync(folder, { recursive: true }),
    kept: [],
  },
  {
    what: 'the folder is moved away',
    lose: (folder) => renameSync(folder, `${folder}-before`),
    kept: [],
  },
  {
    what: 'a backup takes the place of the file',
    lose: (folder) => {
      const backup = `${folder}-backup`;
      for (const name of ['signalbox.db', 'signalbox.db-wal', 'signalbox.db-shm']) rmSync(join(folder, name));
      renameSync(join(backup, 'signalbox.db'), join(folder, 'signalbox.db'));
    },
    kept: ['one'],
  },
];

test.each(losses)('$what: a row that is acknowledged afterwards can be read', async (one) => {
  const folder = join(freshFolder(), 'data');
  const { audit, said, end } = start(folder);
  await audit.append(entry('one'));
  mkdirSync(`${folder}-backup`);
  // As `docs/operations.md` has it: the store itself writes the copy.
  const copy = new Database(join(folder, 'signalbox.db'));
  copy.exec(`vacuum into '${join(`${folder}-backup`, 'signalbox.db')}'`);
  copy.close();
  for (const reason of ['two', 'three']) await audit.append(entry(reason));
  one.lose(folder);
  await audit.append(entry('after', 'intent'));
  expect(await found(folder)).toEqual([...one.kept, 'after']);
  expect(said).toEqual(['the file of the store was removed or replaced; it is opened anew']);
  // Rows that were looked through in the old file say nothing about those of the new one.
  expect(await audit.closeOpen(-1_000)).toBe(1);
  await end();
});

test('an intent is found to be open also after an older store took the place of the one that was looked through', async () => {
  const folder = join(freshFolder(), 'data');
  const { audit, end } = start(folder);
  for (let i = 0; i < 5; i += 1) await audit.append(entry(`row ${i}`));
  expect(await audit.closeOpen(-1_000)).toBe(0);
  rmSync(folder, { recursive: true });
  await audit.append(entry('begun', 'intent'));
  expect(await audit.closeOpen(-1_000)).toBe(1);
  await end();
});

test('a row waits while another process holds the store, and is written once it lets go', async () => {
  const folder = join(freshFolder(), 'data');
  const { audit, end } = start(folder);
  await audit.append(entry('first'));
  const other = new Database(join(folder, 'signalbox.db'));
  other.exec('begin immediate');
  let written = false;
  const waits = audit.append(entry('second')).then(() => {
    written = true;
  });
  // Longer than SQLite itself waits for a lock, so that the row is tried again and again.
  await delay(300);
  expect(written).toBe(false);
  other.exec('rollback');
  other.close();
  await waits;
  await end();
  expect(await found(folder)).toEqual(['first', 'second']);
});
