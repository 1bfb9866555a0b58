/** More happens than a slow store takes: the live path goes on, the time is on record as a gap, and recording begins again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHistoryLog, type HistoryLog, leaseMs } from '@/lib/server/history/history-log';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { createKeeper, type HistoryKeeper } from '@/lib/server/history/keeper';
import { createRetention } from '@/lib/server/history/retention';
import { openStore } from '@/lib/server/store/store';
import { heldLock } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { openDesk } from '@/test/support/desk';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const store = openStore({ folder: freshFolder() });
const desk = openDesk({ consul: consul.address, store });
const lines: string[] = [];
const queueMax = 20;
let keeper: HistoryKeeper;
let beginnings = 0;
/** Open: the store answers. */
let gate: Promise<void> = Promise.resolve();

beforeAll(async () => {
  await until(() => desk.hub.snapshot().source.state === 'live', { what: 'the view to be live' });
  const log = createHistoryLog({ store, writer: 'one', now: Date.now });
  const slow: HistoryLog = {
    ...log,
    hold: () => {
      beginnings += 1;
      return log.hold();
    },
    write: async (rows, untilMs) => {
      await gate;
      return log.write(rows, untilMs);
    },
  };
  keeper = createKeeper({
    hub: desk.hub,
    log: slow,
    audit: desk.audit,
    retention: createRetention({ log, days: 30, bytes: 1e9, now: Date.now }),
    now: Date.now,
    onProblem: { warn: (_: unknown, message?: string) => void lines.push(message ?? ''), info: () => {} },
    queueMax,
  });
  await until(() => keeper.state().state === 'recording', { what: 'the recorder to begin' });
});
afterAll(async () => {
  await keeper.close();
  await desk.close();
  await store.close();
});

const read = () =>
  createHistoryQuery({ store, days: 30, now: Date.now }).read(
    { by: 'source', sources: ['consul'] },
    { fromMs: Date.now() - 600_000, toMs: Date.now(), limit: 1_000 },
  );

test('a full queue becomes a gap, after which what holds is on record again', async () => {
  const first = await heldLock(client);
  await until(async () => (await read()).episodes.length === 1, { what: 'the first hold' });
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const beganMs = Date.now();
  const held = await Promise.all(Array.from({ length: 3 * queueMax }, () => heldLock(client)));
  const shown = () =>
    until(() => desk.hub.snapshot().locks.length === held.length + 1, { what: 'the view to show all' });
  await shown();
  // All may have come as one step, which a queue always takes.
  held.push(await heldLock(client));
  await shown();
  expect(beginnings).toBe(1);
  open();
  const { gaps, episodes } = await until(
    async () => {
      const found = await read();
      return found.gaps.some(({ why, toMs }) => why === 'behind' && toMs !== null) && found;
    },
    { what: 'the gap', timeoutMs: 30_000 },
  );
  expect(beginnings).toBe(2);
  expect(lines.join()).toContain('the history begins again');
  const [gap] = gaps.filter(({ why }) => why === 'behind');
  expect(gap?.fromMs).toBeLessThanOrEqual(Date.now());
  expect(gap?.toMs).toBeGreaterThanOrEqual(beganMs);
  expect(episodes.filter(({ who }) => who.id === first.id)).toMatchObject([{ to: null, end: null }]);
  const last = await heldLock(client);
  const after = await until(
    async () => {
      const found = await read();
      return found.episodes.length === held.length + 2 && found.episodes;
    },
    { what: 'all that hold to be kept', timeoutMs: 30_000 },
  );
  // Each once, whether it came before the gap, in it or after it.
  expect(new Set(after.map(({ who }) => who.id)).size).toBe(held.length + 2);
  expect(after.filter(({ who }) => who.id === last.id)).toMatchObject([{ from: { basis: 'observed' } }]);
}, 90_000);

test.each([
  ['has let go', true],
  ['still has it at the next try', false],
] as const)(
  'the time of another replica that took the pen and %s is no full queue',
  async (_, atOnce) => {
    const before = (await read()).gaps.length;
    // By its clock the lease of this one has ended.
    const other = createHistoryLog({ store, writer: 'two', now: () => Date.now() + 2 * leaseMs });
    expect(await other.hold()).not.toBeNull();
    if (!atOnce)
      await until(() => keeper.state().state === 'elsewhere', {
        what: 'this one to give way',
        timeoutMs: 30_000,
      });
    await other.letGo();
    const { gaps } = await until(
      async () => {
        const found = await read();
        return found.gaps.length > before && found.gaps.every(({ toMs }) => toMs !== null) && found;
      },
      { what: 'the gap', timeoutMs: 30_000 },
    );
    expect(gaps.at(-1)?.why).toBe('restart');
  },
  90_000,
);
