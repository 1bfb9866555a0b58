/** Signalbox is killed (SIGKILL) at each moment of an action, and started again on the same store. */
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, expect, test } from 'vitest';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { openStore } from '@/lib/server/store/store';
import { fresh, heldLock, row } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { programs } from '@/test/support/programs';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const proxy = await startFaultProxy(consul.address);
const run = await programs({ replica: 'test/audit/programs/replica.ts' });
afterAll(() => proxy.close());

const moments = [
  { moment: 'before its intent is on record', rows: [], written: false },
  { moment: 'when its intent is on record', rows: ['intent', 'unknown'], written: false },
  { moment: 'when its write is done and not on record', rows: ['intent', 'unknown'], written: true },
] as const;

test.each(moments)(
  'killed $moment: reported truly, and nothing is written twice',
  async ({ moment, rows, written }) => {
    const folder = join(freshFolder(), 'data');
    const start = async (openMs: number) => {
      const program = run('replica', {
        CONSUL_HTTP_ADDR: proxy.address,
        STORE: JSON.stringify({ folder }),
        REPLICA: 'one',
        OPEN_MS: String(openMs),
      });
      const port = await until(() => /^(\d+)\n/.exec(program.output())?.[1], { what: 'the server listens' });
      const post = async (body: object) => {
        const answer = await fetch(`http://127.0.0.1:${port}/`, {
          method: 'POST',
          body: JSON.stringify(body),
        });
        return { status: answer.status, body: await answer.json() };
      };
      return { program, post };
    };
    const { key } = await heldLock(client, { key: fresh('killed') });
    const action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
    const before = await start(60_000);
    const planned = await before.post({ mode: 'plan', action });
    const writes = proxy.writes.length;

    const store = openStore({ folder });
    await store.migrate();
    const audit = createAuditLog({ store, replica: 'reader', now: Date.now });
    const kinds = async () =>
      (await audit.read({ below: null, limit: 10 })).map(({ kind }) => kind).reverse();
    const other = new Database(join(folder, 'signalbox.db'));
    // The server may be writing at that moment, as a row that can be read does not mean that its lock is gone.
    other.pragma('busy_timeout = 5000');
    const hold = () => other.exec('begin immediate');
    if (moment === 'before its intent is on record') hold();
    else proxy.stall();
    void before.post({ mode: 'apply', action, reason: 'test', expect: planned.body.expect }).catch(() => {});
    if (moment !== 'before its intent is on record') {
      await until(async () => (await kinds()).length === 1, { what: 'the intent is on record' });
      if (written) {
        hold();
        proxy.resume();
        await until(async () => (await row(client, key)).session === null, { what: 'the write is done' });
      }
    }
    await before.program.kill9();
    other.close();
    proxy.reset();
    proxy.resume();

    const after = await start(1);
    await until(async () => (await kinds()).length === rows.length, {
      what: 'what was left open is unknown',
    });
    expect(await kinds()).toEqual(rows);
    // A plan made now shows the present state.
    const again = await after.post({ mode: 'plan', action });
    expect([again.status, (await row(client, key)).session === null]).toEqual([written ? 409 : 200, written]);
    expect(proxy.writes.length - writes).toBe(written ? 1 : 0);
    after.program.terminate();
    expect(await after.program.exited).toBe(0);
    expect(await audit.verify()).toMatchObject({ rows: rows.length, brokenAt: null });
    await store.close();
  },
);
