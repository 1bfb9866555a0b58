import { expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { held, look, row, s1, s2 } from '@/lib/providers/consul/fixture/look';
import { newCoordination } from '@/lib/providers/consul/rows/coordination';
import type { Look } from './look';
import { type Observed, observe } from './sightings';

const minute = 60_000;
const at = (before: Observed, nowMs: number, rows: KvRow[], more: Partial<Look> = {}) =>
  observe(before, look({ rows, nowMs, ...more }));

test('it counts the sessions that came to hold, also those between two looks, and only after a whole minute', () => {
  const first = held({ nowMs: 0 });
  const second = at(first, 50_000, [row('a', s2, '11', { lockIndex: '2' })]);
  expect(second.turnover('a')).toBeNull();
  const third = at(second, 55_000, [row('a', null, '14', { lockIndex: '4' })]);
  expect(third.wakeAtMs).toBe(minute);
  const later = at(third, minute, [row('a', null, '14', { lockIndex: '4' })]);
  expect(later.turnover('a')).toEqual({ changes: 3, windowMs: minute });
});

test('a count falls as its minute passes, and the wake for it is the only one', () => {
  const free = row('a', null, '11');
  const second = at(held({ nowMs: 0 }), 62_000, [row('a', s2, '11', { lockIndex: '2' })]);
  expect(second.turnover('a')?.changes).toBe(1);
  expect(second.wakeAtMs).toBe(125_000);
  const third = at(second, 125_000, [row('a', s2, '11', { lockIndex: '2' })]);
  expect(third.turnover('a')?.changes).toBe(0);
  expect(third.wakeAtMs).toBeNull();
  expect(at(third, 126_000, [free]).turnover('a')?.changes).toBe(0);
  expect(at(third, 126_000, []).turnover('a')).toBeNull();
});

test('a semaphore counts the holders that its entry came to name', () => {
  const entry = (holders: string[], index: string) =>
    row('sem/.lock', null, index, { value: newCoordination('list', 2, holders) });
  const first = held({ nowMs: 0, rows: [entry([s1], '10')] });
  const second = at(first, 61_000, [entry([s2], '11')]);
  const third = at(second, 62_000, [entry([s1, s2], '12')]);
  expect(third.turnover('sem')).toEqual({ changes: 2, windowMs: minute });
});

test('a subject whose holder never changed has none, and a gap starts over', () => {
  const first = held({ nowMs: 0 });
  const second = at(first, 61_000, [row('a', s1)]);
  expect(second.turnover('a')).toBeNull();
  const third = at(second, 62_000, [row('a', s2, '12', { lockIndex: '2' })]);
  expect(third.turnover('a')?.changes).toBe(1);
  const gap = at(third, 70_000, [row('a', s1, '15', { lockIndex: '9' })], { afterGap: true });
  expect(gap.turnover('a')).toBeNull();
  expect(at(gap, 131_000, [row('a', s1, '15', { lockIndex: '9' })]).turnover('a')).toBeNull();
});

test('waiters that come and go are no change of hands', () => {
  const second = at(held({ nowMs: 0 }), 61_000, [row('a', s1), row(`sem/${s2}`, s2)]);
  expect(second.turnover(`sem/${s2}`)).toBeNull();
  expect(second.wakeAtMs).toBeNull();
});

test('a restored count of acquisitions is no turnover', () => {
  const second = at(held({ nowMs: 0 }), 61_000, [row('a', s1, '9999', { lockIndex: '5000000' })]);
  expect(second.turnover('a')).toBeNull();
});
