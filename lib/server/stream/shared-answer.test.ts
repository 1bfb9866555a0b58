import { beforeEach, expect, test } from 'vitest';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Hub } from '@/lib/server/live/hub';
import { createWhole, type Whole } from './shared-answer';

const source = { state: 'live', lastContactMs: 1 };
const locks = Array.from({ length: 4_000 }, (_, i) => ({ key: `jobs/lock-${i}`, value: 'x'.repeat(300) }));
const snapshotOf = (version: number, asOfMs = version) =>
  ({ version, asOfMs, source, locks, semaphores: [], sessions: [], findings: [] }) as unknown as Snapshot;

let snapshot: Snapshot;
let hub: Parameters<Whole['answer']>[0];
const newBase = (): Pick<Hub, 'apart'> => ({ apart: (make) => make() });
let times: number;
let whole: Whole;
beforeEach(() => {
  times = 0;
  snapshot = snapshotOf(1);
  hub = { base: newBase(), snapshot: () => snapshot, contactMs: null };
  whole = createWhole((one) => {
    times += 1;
    return { locks: one.locks, sessions: one.sessions };
  });
});
const ask = () => whole.answer(hub);

test('forty who ask within one version share one answer, and the next version is made again', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, ask));
  expect(times).toBe(1);
  for (const answer of answers)
    expect(await answer.json()).toEqual({ version: 1, asOfMs: 1, source, locks, sessions: [] });
  snapshot = snapshotOf(2);
  expect(await (await ask()).json()).toMatchObject({ version: 2 });
  expect(times).toBe(2);
});

test('where only the time moves on the rows are not made again, and the answer says the time', async () => {
  await ask();
  snapshot = snapshotOf(1, 7);
  expect(await (await ask()).json()).toMatchObject({ version: 1, asOfMs: 7 });
  hub = { ...hub, contactMs: 9 };
  expect(await (await ask()).json()).toMatchObject({ source: { lastContactMs: 9 } });
  expect(times).toBe(1);
});

test('hubs share nothing', async () => {
  await ask();
  hub = { base: newBase(), snapshot: () => snapshotOf(1, 5), contactMs: null };
  expect(await (await ask()).json()).toMatchObject({ asOfMs: 5 });
  expect(times).toBe(2);
});

test('the thread is given to others while a large answer is made', async () => {
  snapshot = { ...snapshot, locks: Array.from({ length: 10 }, () => snapshot.locks).flat() };
  let others = 0;
  const immediate = () => {
    others += 1;
    next = setImmediate(immediate);
  };
  let next = setImmediate(immediate);
  await ask();
  clearImmediate(next);
  expect(others).toBeGreaterThan(1);
});
