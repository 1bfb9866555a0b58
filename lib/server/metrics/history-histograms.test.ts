import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Hold, HoldEnd } from '@/lib/domain/history/episode';
import { holdOf } from '@/lib/domain/history/fixture/episodes';
import { createHistoryHistograms, prefixesMax } from './history-histograms';

let n = 0;
function hold(key: string, toMs: number | null, end: HoldEnd | null = 'released'): Hold {
  n += 1;
  const subject = { source: 'consul', kind: 'lock', key } as const;
  return holdOf(0, toMs, { id: `h${n}`, subject, end: toMs === null ? null : end });
}
const counts = async (registry: Registry) =>
  new Map(
    [
      ...(await registry.metrics()).matchAll(
        /^signalbox_(hold|wait)_seconds_count\{.*prefix="([^"]*)"\} (\d+)$/gm,
      ),
    ].map(([, kind, prefix, count]) => [`${kind} ${prefix}`, Number(count)]),
  );

test('a hold counts once however often it is written, and one that was not seen whole never', async () => {
  const registry = new Registry();
  const { wrote } = createHistoryHistograms(registry);
  const ended = hold('jobs/a', 2_000);
  const row = (one: Hold) => ({ kind: 'hold', row: one }) as const;
  wrote([row(ended), row(hold('jobs/b', null)), row(hold('jobs/c', 3_000, 'not-watched'))]);
  wrote([row({ ...ended, end: 'evicted-here' })]);
  wrote([row({ ...hold('jobs/d', 9_000), from: { atMs: 0, basis: 'at-least' } })]);
  wrote([
    {
      kind: 'wait',
      row: { ...ended, id: 'w', end: 'got-in' },
    },
  ]);
  expect(await counts(registry)).toEqual(
    new Map([
      ['hold jobs/', 1],
      ['wait jobs/', 1],
    ]),
  );
  expect(await registry.metrics()).toContain(
    'signalbox_hold_seconds_sum{source="consul",prefix="jobs/"} 2\n',
  );
});

test('the number of prefixes is bounded, and what is beyond counts as other', async () => {
  const registry = new Registry();
  const { wrote } = createHistoryHistograms(registry);
  for (let i = 0; i < prefixesMax + 7; i += 1) wrote([{ kind: 'hold', row: hold(`p${i}/x`, 1_000) }]);
  wrote([{ kind: 'hold', row: hold('y'.repeat(500), 1_000) }]);
  const all = await counts(registry);
  expect(all.size).toBe(prefixesMax + 1);
  expect(all.get('hold other')).toBe(8);
});
