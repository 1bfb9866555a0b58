/**
 * A snapshot of Consul restored without writers: the view soon shows the restored state, for every waiting or resting
 * query, and no difference counts as seen to happen.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { systemClock } from '@/lib/providers/consul/client/clock';
import { createSparePolls } from '@/lib/providers/consul/client/spare-polls';
import type { TxnOp } from '@/lib/providers/consul/client/wire';
import { createServerHistory } from '@/lib/providers/consul/observed/server-history';
import { createSourceLog } from '@/lib/server/live/source-log';
import { createLog } from '@/lib/server/process/log';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

let consul: TestConsul;
let client: ConsulClient;
beforeAll(async () => {
  consul = await startConsul();
  client = consul.client();
});
afterAll(() => consul.stop());

const set = (key: string, value = 'x'): TxnOp => ({
  verb: 'set',
  key,
  value: Buffer.from(value),
  flags: '0',
});
async function write(ops: readonly TxnOp[]) {
  for (let at = 0; at < ops.length; at += 64) {
    const outcome = await client.txn(ops.slice(at, at + 64));
    if (!outcome.done) throw new Error(outcome.errors[0]?.what);
  }
}
const snapshot = async () => (await fetch(`http://${consul.address}/v1/snapshot`)).arrayBuffer();
async function restore(taken: ArrayBuffer) {
  const response = await fetch(`http://${consul.address}/v1/snapshot`, { method: 'PUT', body: taken });
  expect(response.ok).toBe(true);
}
const shownAt = (watching: Watching, key: string) =>
  watching.views
    .at(-1)
    ?.rows.find((row) => row.key === key)
    ?.value.toString() ?? null;

/** Long before a wait ends on its own, which takes 45 s and more. */
const soon = { timeoutMs: 30_000 };

test('read as a whole: rows and sessions are those of the snapshot, and none is said to have ended', async () => {
  const lock = 'whole/lock';
  await write([set('whole/value', 'old')]);
  const before = await client.createSession({
    name: 'before',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 15_000,
  });
  await client.acquire({ key: lock, value: Buffer.from(''), flags: '3304740253564472344', session: before });
  const taken = await snapshot();
  await write([set('whole/value', 'new')]);
  await client.destroySession(before);
  const after = await client.createSession({
    name: 'after',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 15_000,
  });
  await client.acquire({
    key: 'whole/other',
    value: Buffer.from(''),
    flags: '3304740253564472344',
    session: after,
  });
  const elder = createServerHistory();
  const watching = startWatching(client, ['whole/'], [], undefined, systemClock, { elderOf: elder });
  await until(() => watching.lock('whole/other')?.holder?.sessionId === after, { what: 'the world before' });
  // All wait by then, and have for longer than what is taken for a wait that was none.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(watching.sources.at(-1)?.restoredAtMs).toBeNull();
  const restoredMs = Date.now();
  await restore(taken);
  await until(
    () =>
      shownAt(watching, 'whole/value') === 'old' &&
      watching.lock(lock)?.holder?.sessionId === before &&
      watching.lock('whole/other') === undefined,
    { what: 'the world of the snapshot', ...soon },
  );
  const toldMs = await until(() => watching.sources.at(-1)?.restoredAtMs, { what: 'the restore to be said' });
  expect(toldMs).toBeGreaterThanOrEqual(restoredMs);
  expect(toldMs).toBeLessThan(restoredMs + soon.timeoutMs);
  expect(watching.state()).toBe('live');
  // A later viewer has not seen it, and is notified all the same.
  const later = startWatching(client, ['whole/'], [], undefined, systemClock, { elder });
  await later.reaches('live');
  expect(later.sources.at(-1)?.restoredAtMs).toBe(toldMs);
  await later.stop();
  // The server's log has it once, with the instant, however many states follow.
  const lines: Record<string, unknown>[] = [];
  const log = createSourceLog(createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }));
  for (const source of watching.sources) log(source);
  expect(lines.filter(({ msg }) => msg === 'the source was put back to an earlier state')).toEqual([
    expect.objectContaining({ level: 'warn', restoredAtMs: toldMs }),
  ]);
  // The key went with its session, and no lock-delay runs for it.
  expect(watching.worlds.flatMap(({ locks }) => locks).some(({ state }) => state === 'delayed')).toBe(false);
  expect(watching.lock(lock)?.holder?.since?.basis).toBe('at-least');
  await watching.stop();
});

test('read in parts, at rest after a change: the part and a key at a new place are those of the snapshot', async () => {
  const stable = Array.from({ length: 4_500 }, (_, n) => `stable/${(n * 7919).toString(16).slice(-3)}/${n}`);
  const [one = ''] = stable;
  await write([...stable.map((key) => set(key)), set('back/one', 'old')]);
  const taken = await snapshot();
  await client.deleteCas('back/one', (await client.get('back/one')).value?.modifyIndex ?? '1');
  let used = 0;
  const spare = createSparePolls({ total: 33, each: 3 });
  const watching = startWatching(client, [''], [], {
    begin: spare.begin,
    claim: (onLess) => {
      const claim = spare.claim(onLess);
      return {
        ...claim,
        use: (count) => {
          used = count;
          claim.use(count);
        },
      };
    },
  });
  await until(() => used > 0, { what: 'the prefix to be read in parts' });
  for (const restsFor of [40, 2_500]) {
    for (let n = 0; n < 5; n += 1) {
      await write([set(one, `${restsFor} ${n}`)]);
      await until(() => shownAt(watching, one) === `${restsFor} ${n}`, { what: 'the change' });
      await new Promise((resolve) => setTimeout(resolve, n < 4 ? 600 : restsFor));
    }
    const restoredMs = Date.now();
    await restore(taken);
    await until(() => shownAt(watching, one) === 'x' && shownAt(watching, 'back/one') === 'old', {
      what: `the world of the snapshot, restored ${restsFor} ms after a change`,
      ...soon,
    });
    await until(() => (watching.sources.at(-1)?.restoredAtMs ?? 0) >= restoredMs, {
      what: 'the restore to be said',
    });
    await client.deleteCas('back/one', (await client.get('back/one')).value?.modifyIndex ?? '1');
    await until(() => shownAt(watching, 'back/one') === null, { what: 'its end' });
  }
  // Each part has found it, and each restore is reported once.
  expect(new Set(watching.sources.map(({ restoredAtMs }) => restoredAtMs)).size).toBe(3);
  await watching.stop();
});
