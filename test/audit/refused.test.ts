/** A store that fails in real ways: then nothing is written to Consul, and afterwards all works again. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import { exclusively } from '@/lib/server/store/exclusively';
import { openStore, type Store } from '@/lib/server/store/store';
import { heldLock, row } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { asked, type Desk, openDesk } from '@/test/support/desk';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { noPostgres, startTestPostgres } from '@/test/support/postgres';
import { freshFolder } from '@/test/support/stores';

const consul = await startConsul();
const client = consul.client();
const missing = await noPostgres();
const postgres = missing === null ? await startTestPostgres() : null;

/** Plans and applies the release of a lock. */
async function release(desk: Desk, key: string) {
  const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' };
  const planned = await desk.post(asked({ mode: 'plan', action }));
  const { expect: seen } = await planned.json();
  return desk.post(asked({ mode: 'apply', action, reason: 'stuck', expect: seen }));
}

/** With the store broken a release is refused and the lock is as it was; with the store whole again it goes through. */
async function refusesUntilMended(
  store: Store,
  { begin, fault, mend }: { begin: boolean; fault: (desk: Desk) => unknown; mend: () => unknown },
) {
  const desk = openDesk({ consul: consul.address, store, watch: false, appendMs: 4_000, followMs: 10 });
  try {
    if (begin) await store.migrate();
    await fault(desk);
    const { key, id } = await heldLock(client);
    const before = await row(client, key);
    const refused = await release(desk, key);
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { code: 'unavailable', why: { code: 'audit-not-written' } },
    ]);
    expect(await row(client, key)).toEqual(before);
    expect(before.session).toBe(id);
    await mend();
    expect((await release(desk, key)).status).toBe(200);
    expect((await row(client, key)).session).toBeNull();
  } finally {
    await desk.close();
  }
  const rows = await desk.audit.read({ below: null, limit: 100 });
  const kinds = rows.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'refused').length).toBe(1);
  expect(kinds.filter((kind) => kind === 'outcome').length).toBe(1);
  // The refused one may have its intent, where the link broke after the row was on its way.
  expect(kinds.filter((kind) => kind === 'intent').length).toBeGreaterThanOrEqual(1);
  expect(await desk.audit.verify()).toMatchObject({ brokenAt: null });
}

describe('a file', () => {
  const failures: readonly [
    string,
    (folder: string, store: Store) => Parameters<typeof refusesUntilMended>[1],
  ][] = [
    [
      'whose folder cannot be made',
      (folder) => ({
        begin: false,
        fault: () => writeFileSync(folder, ''),
        mend: () => rmSync(folder),
      }),
    ],
    [
      'that is no database',
      (folder) => ({
        begin: false,
        fault: () => {
          mkdirSync(folder);
          writeFileSync(join(folder, 'signalbox.db'), 'no database'.repeat(1_000));
        },
        mend: () => rmSync(folder, { recursive: true }),
      }),
    ],
    [
      'that another process keeps locked',
      (folder) => {
        let other: Database.Database | null = null;
        return {
          begin: true,
          fault: () => {
            other = new Database(join(folder, 'signalbox.db'));
            other.exec('begin immediate');
          },
          mend: () => {
            other?.exec('rollback');
            other?.close();
          },
        };
      },
    ],
    [
      'on a full disk',
      (_, store) => ({
        begin: true,
        fault: async ({ audit }) => {
          // SQLite's own bound: beyond it a write fails as on a full disk (SQLITE_FULL).
          await sql.raw('pragma max_page_count = 1').execute(store.db);
          const small = { thread: '', address: null, action: null, subjects: [], reason: '', detail: {} };
          const filling = async () => {
            for (;;) await audit.append({ ...small, kind: 'sign-in', who: { kind: 'anonymous' } });
          };
          await expect(filling()).rejects.toMatchObject({ cause: { code: 'SQLITE_FULL' } });
        },
        mend: () => sql.raw('pragma max_page_count = 1000000').execute(store.db),
      }),
    ],
  ];

  test.each(failures)('%s: no action is begun', async (_, failure) => {
    const folder = join(freshFolder(), 'store');
    const store = openStore({ folder });
    try {
      await refusesUntilMended(store, failure(folder, store));
    } finally {
      await store.close();
    }
  });
});

describe.skipIf(postgres === null)('a Postgres', () => {
  test.each(['that refuses connections', 'that answers nothing'])('%s: no action is begun', async (what) => {
    if (postgres === null) throw new Error('skipped above');
    const proxy = await startFaultProxy(postgres.address);
    const url = (await postgres.database()).replace(postgres.address, proxy.address);
    const store = openStore({ postgres: url });
    try {
      await refusesUntilMended(store, {
        begin: true,
        fault: () => (what.endsWith('nothing') ? proxy.stall() : proxy.refuse()),
        mend: () => (what.endsWith('nothing') ? proxy.resume() : proxy.accept()),
      });
    } finally {
      await store.close();
      await proxy.close();
    }
  });

  test('that another replica migrates: no action is begun', async () => {
    if (postgres === null) throw new Error('skipped above');
    const url = await postgres.database();
    const [store, other] = [openStore({ postgres: url }), openStore({ postgres: url })];
    let hasEnded = () => {};
    const ended = new Promise<void>((resolve) => {
      hasEnded = resolve;
    });
    let migrating: Promise<void> | null = null;
    try {
      await refusesUntilMended(store, {
        begin: false,
        fault: () =>
          new Promise<void>((begun) => {
            migrating = exclusively(other, { lock: 'migrations', waitMs: 60_000 }, async (db) => {
              begun();
              // Not idle, as a process that hangs would be.
              while (!(await Promise.race([ended.then(() => true), delay(1_000, false)])))
                await sql`select 1`.execute(db);
            });
          }),
        mend: async () => {
          hasEnded();
          await migrating;
        },
      });
    } finally {
      hasEnded();
      await Promise.all([store.close(), other.close()]);
    }
  });
});
