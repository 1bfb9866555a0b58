import { expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { held, look, row, s1 } from '@/lib/providers/consul/fixture/look';
import { newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { observe } from './sightings';

const entry = (limit: number, index: string, holders: string[] = [], more: Partial<KvRow> = {}) =>
  row('sem/.lock', null, index, {
    value: newCoordination('map', limit, holders),
    flags: semaphoreFlags,
    ...more,
  });
const waiter = (createIndex = '5') => row(`sem/${s1}`, s1, '10', { createIndex });
const key = `sem/${s1}`;
const change = () =>
  observe(
    held({ rows: [entry(2, '10'), waiter()] }),
    look({ rows: [entry(3, '11'), waiter()], nowMs: 2_000 }),
  );

test('a waiter that waited while the limit changed keeps that until it is gone', () => {
  const changed = change();
  expect(changed.limitChange(key)).toEqual({ from: 2, to: 3, atMs: 2_000 });
  const back = observe(changed, look({ rows: [entry(2, '12'), waiter()], nowMs: 3_000 }));
  expect(back.limitChange(key)).toEqual({ from: 2, to: 3, atMs: 2_000 });
  expect(observe(back, look({ rows: [entry(2, '12')], nowMs: 4_000 })).limitChange(key)).toBeNull();
});

test('a mark is forgotten when the waiter holds a slot, or starts another wait', () => {
  const holds = observe(change(), look({ rows: [entry(3, '12', [s1]), waiter()], nowMs: 3_000 }));
  expect(holds.limitChange(key)).toBeNull();
  const anew = observe(change(), look({ rows: [entry(3, '11'), waiter('15')], nowMs: 3_000 }));
  expect(anew.limitChange(key)).toBeNull();
});

test('clients that came after the change, and clients that use the stored limit, are not marked', () => {
  const late = observe(
    held({ rows: [entry(2, '10')] }),
    look({ rows: [entry(3, '11'), waiter()], nowMs: 2_000 }),
  );
  expect(late.limitChange(key)).toBeNull();
  const list = (limit: number) => ({ value: newCoordination('list', limit, []), flags: '0' });
  for (const of of [list, () => ({ flags: '0' })]) {
    const before = held({ rows: [entry(2, '10', [], of(2)), waiter()] });
    const grown = observe(before, look({ rows: [entry(3, '11', [], of(3)), waiter()], nowMs: 2_000 }));
    expect(grown.limitChange(key)).toBeNull();
  }
});
