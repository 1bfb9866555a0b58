/** The audit is never deleted, and no person can act while its disk is full: one token's share of it has a bound. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '@/lib/server/store/store';
import { entry, fresh, ghost, heldLock, row } from '@/test/actions/stage';
import { makeToken } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { asked, openDesk } from '@/test/support/desk';
import { freshFolder } from '@/test/support/stores';

const consul = await startConsul({ acl: true });
const root = consul.client();
afterAll(() => consul.stop());

const tokenWith = async (rules: string) => (await makeToken(consul, rules)).secret;

async function withDesk<T>(
  token: string,
  work: (desk: ReturnType<typeof openDesk>, bytes: () => number) => Promise<T>,
): Promise<T> {
  const folder = freshFolder();
  const store = openStore({ folder });
  const desk = openDesk({ consul: consul.address, store, token, watch: false, followMs: 1 });
  const bytes = () =>
    ['signalbox.db', 'signalbox.db-wal'].reduce(
      (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  try {
    await desk.audit.verify();
    return await work(desk, bytes);
  } finally {
    await desk.close();
    await store.close();
  }
}

/** A prune of many long names, with what a plan of it could have seen: as much as a request may hold. */
function large(i: number) {
  const prefixes = Array.from({ length: 200 }, (_, n) => `${i}-${n}-`.padEnd(480, 'x'));
  return {
    mode: 'apply',
    action: { type: 'semaphore.prune', source: 'consul', prefixes },
    reason: '',
    expect: {
      entries: prefixes.map((prefix) => ({
        key: `${prefix}/.lock`,
        modifyIndex: '1',
        session: null,
        seen: ghost(1),
      })),
      sessions: [],
    },
  };
}

test('a token without any right leaves no intent, and makes the audit grow by little, however often it asks', async () => {
  await withDesk(await tokenWith(''), async (desk, bytes) => {
    const before = bytes();
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => (await desk.post(asked(large(i)))).status),
    );
    await desk.close();
    const grown = bytes() - before;
    console.log(`40 applies without a right: ${grown} bytes of the store`);
    expect(new Set(statuses)).toEqual(new Set([403, 429]));
    const rows = await desk.audit.read({ below: null, limit: 100 });
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['refused']));
    expect(rows.length).toBeLessThanOrEqual(21);
    for (const one of rows) expect(JSON.stringify(one).length).toBeLessThan(8_000);
    expect(grown).toBeLessThan(1_000_000);
  });
});

test('with rights to all that it names, the rows of one large action are small', async () => {
  await withDesk(await tokenWith('key_prefix "" { policy = "write" }'), async (desk, bytes) => {
    const before = bytes();
    expect((await desk.post(asked(large(0)))).status).toBe(200);
    await desk.close();
    const rows = await desk.audit.read({ below: null, limit: 100 });
    expect(rows.map(({ kind }) => kind).sort()).toEqual(['followed', 'intent', 'outcome']);
    for (const one of rows) {
      expect(one.detail).toMatchObject({ subjectsInAll: 200 });
      expect(JSON.stringify(one).length).toBeLessThan(16_000);
    }
    console.log(`one apply of 200 names: ${bytes() - before} bytes of the store`);
    expect(await desk.audit.verify()).toMatchObject({ brokenAt: null });
  });
});

test("a made-up view is refused without an intent, and a plan's view is applied", async () => {
  const rules =
    'key_prefix "" { policy = "write" } session_prefix "" { policy = "write" } node_prefix "" { policy = "read" }';
  await withDesk(await tokenWith(rules), async (desk) => {
    const { key } = await heldLock(root);
    const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' };
    const { expect: seen } = await (await desk.post(asked({ mode: 'plan', action }))).json();
    const forged = { ...seen, entries: [{ key: 'no/such', modifyIndex: '1', session: null }] };
    const refused = await desk.post(asked({ mode: 'apply', action, reason: 'r', expect: forged }));
    expect([refused.status, await refused.json()]).toMatchObject([400, { why: { code: 'not-of-plan' } }]);
    expect((await row(root, key)).session).not.toBeNull();
    const answer = await desk.post(asked({ mode: 'apply', action, reason: 'r', expect: seen }));
    expect(answer.status).toBe(200);
    const rows = await desk.audit.read({ below: null, limit: 100 });
    expect(rows.filter(({ kind }) => kind === 'intent')).toHaveLength(1);
    expect(JSON.stringify(rows.filter(({ kind }) => kind !== 'refused'))).not.toContain('no/such');
  });
});

test('a token that may write one of many semaphores is not refused for the others', async () => {
  const prefix = fresh('mine');
  await entry(root, prefix, `{"Limit":2,"Holders":{"${ghost(1)}":true}}`);
  const rules = `key_prefix "${prefix}" { policy = "write" } key_prefix "" { policy = "read" }`;
  await withDesk(await tokenWith(rules), async (desk) => {
    const action = { type: 'semaphore.prune', source: 'consul', prefixes: [prefix, fresh('theirs')] };
    const { expect: seen } = await (await desk.post(asked({ mode: 'plan', action }))).json();
    const answer = await desk.post(asked({ mode: 'apply', action, expect: seen }));
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { outcome: { done: expect.any(Boolean) } },
    ]);
  });
});
