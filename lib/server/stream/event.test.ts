import { expect, test } from 'vitest';
import type { WorldStep } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createToldHub } from '@/test/support/told-hub';
import { createEvents, viewOf } from './event';

const locks = Array.from({ length: 2_000 }, (_, i) => ({ key: `jobs/lock-${i}`, value: 'x'.repeat(500) }));
const big = { version: 1, locks, semaphores: [], sessions: [], findings: [] } as unknown as Snapshot;
const events = createEvents({ instance: 'one', snapshot: () => big, apart: (make) => make() });
const viewNamed = (prefix: string) => viewOf({ prefix, kind: null, source: null }, 'identity');

test('viewers with one filter share the bytes of an event', () => {
  expect(events.snapshot(big, viewNamed('jobs/'))).toBe(events.snapshot(big, viewNamed('jobs/')));
});

test('viewers whose filters differ in any part do not share them', async () => {
  const rows = ['one', 'two'].map((source) => ({ kind: 'lock', source, key: `held in ${source}` }));
  const mixed = { ...big, locks: rows } as unknown as Snapshot;
  const told = async (source: string) =>
    Buffer.from(
      await events.snapshot(mixed, viewOf({ prefix: '', kind: null, source }, 'identity')),
    ).toString();
  expect(await told('one')).toContain('held in one');
  expect(await told('two')).toContain('held in two');
  expect(await told('two')).not.toContain('held in one');
});

test('at any number of filters, the kept bytes of one snapshot have a bound', async () => {
  const { length: size } = await events.snapshot(big, viewNamed('jobs/'));
  let kept = 0;
  for (let n = 0; n * size < 40_000_000; n += 1) {
    // A new name each time, with the same rows.
    const view = { ...viewNamed('jobs/'), name: `other ${n}` };
    const first = await events.snapshot(big, view);
    if ((await events.snapshot(big, view)) === first) kept += size;
  }
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(17_000_000);
});

test('a large snapshot is written in portions, and is the same JSON', async () => {
  let others = 0;
  const count = setInterval(() => {
    others += 1;
  });
  const larger = {
    ...big,
    version: 2,
    locks: Array.from({ length: 20 }, () => locks).flat(),
  } as unknown as Snapshot;
  const bytes = events.snapshot(larger, viewOf(null, 'identity'));
  const [, , data = ''] = Buffer.from(await bytes)
    .toString()
    .split('\n');
  clearInterval(count);
  expect(JSON.parse(data.slice('data: '.length))).toEqual(larger);
  expect(others).toBeGreaterThan(0);
});

test('the bytes of old steps are not kept, and are made again for a returning viewer', async () => {
  const { hub, tellSessions } = createToldHub();
  const steps: WorldStep[] = [];
  hub.subscribe({ step: (step) => void steps.push(step), closed: () => {} }, null);
  for (let n = 0; n < 40; n += 1) tellSessions([`s${n}`]);
  const view = viewOf(null, 'identity');
  const of = createEvents(hub);
  const bytesOf = (step: WorldStep) => of.patch(step, view, step.patch.from);
  const [first] = steps as [WorldStep, ...WorldStep[]];
  const once = bytesOf(first);
  expect(bytesOf(first)).toBe(once);
  for (const step of steps.slice(1)) bytesOf(step);
  expect(bytesOf(first)).not.toBe(once);
  expect(bytesOf(first)).toEqual(once);
  await hub.close();
});
