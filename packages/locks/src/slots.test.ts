import { expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { Turn } from './admission';
import { freeSlots, queue, readSlots, waiters, writeNote, writeSlots } from './slots';

const id = (n: number) => `${String(n).padStart(8, '0')}-1111-2222-3333-444444444444`;

function row(
  key: string,
  {
    session = null,
    value = '',
    flags = semaphoreFlags,
    index = '5',
  }: Partial<{ session: string | null; value: string; flags: string; index: string }> = {},
): KvRow {
  return {
    key,
    value: Buffer.from(value),
    flags,
    session,
    createIndex: index,
    modifyIndex: index,
    lockIndex: '0',
  };
}
const entry = (n: number, index: string, wants = 1) =>
  row(`s/${id(n)}`, {
    session: id(n),
    index,
    value: writeNote({ v: 1, group: id(n), n: wants, state: 'waiting', owner: `o${n}`, since: 0 }).toString(),
  });
const lock = (limit: number, ...holders: number[]) =>
  row('s/.lock', {
    value: JSON.stringify({ Limit: limit, Holders: Object.fromEntries(holders.map((h) => [id(h), true])) }),
  });

test('a holder is alive when its session locks anything that the string prefix lists, as in Go', () => {
  const rows = [
    lock(3, 1, 2, 3),
    row(`s/${id(1)}`, { session: id(1) }),
    row('s-other/x', { session: id(2) }),
  ];
  const slots = readSlots('s', rows);
  expect(slots).toMatchObject({ live: [id(1), id(2)], dead: [id(3)], limit: 3, shape: 'map' });
  expect(freeSlots(slots, 3)).toBe(1);
  expect(writeSlots(slots, 3, slots.live).toString()).toBe(
    `{"Limit":3,"Holders":{"${id(1)}":true,"${id(2)}":true}}`,
  );
});

test('contenders of another semaphore below this one do not queue here', () => {
  const slots = readSlots('s', [lock(1), row(`s/deep/${id(1)}`, { session: id(1) }), entry(2, '7')]);
  expect(waiters(slots).map((c) => c.session)).toEqual([id(2)]);
});

test('arrival is by creation index as a number, so 10 comes after 9', () => {
  const slots = readSlots('s', [lock(1), entry(1, '10'), entry(2, '9')]);
  expect(queue(slots).map((w) => w.group)).toEqual([id(2), id(1)]);
});

test('a semaphore that does not exist is created in the shape asked for, with the flags of its clients', () => {
  expect(readSlots('s', [])).toMatchObject({ index: '0', flags: semaphoreFlags, limit: null, shape: 'map' });
  expect(readSlots('s', [], 'list')).toMatchObject({ index: '0', flags: '0', shape: 'list' });
  expect(writeSlots(readSlots('s', [], 'list'), 2, [id(1)]).toString()).toBe(
    `{"limit":2,"holders":["${id(1)}"]}`,
  );
});

test('an entry that is no semaphore is refused', () => {
  for (const other of [
    row('s/.lock', { session: id(1) }),
    row('s/.lock', { flags: '3304740253564472344' }),
    row('s/.lock', { value: '{"Limit":0,"Holders":{}}' }),
    row('s/.lock', { value: '{"Limit":2.0,"Holders":{}}' }),
    row('s/.lock', { value: '', flags: '0' }),
  ])
    expect(() => readSlots('s', [other])).toThrow('conflict-in-use');
  expect(
    readSlots('s', [row('s/.lock', { index: '8' })]),
    'Go takes an empty value for a new one',
  ).toMatchObject({
    index: '8',
    limit: null,
  });
});

test('each waits behind the one before it; a first one that lets free slots lie is passed over in time', () => {
  const turn = new Turn(id(3), 10_000);
  const busy = readSlots('s', [
    lock(1, 9),
    row(`s/${id(9)}`, { session: id(9) }),
    entry(1, '6'),
    entry(2, '7'),
    entry(3, '8'),
  ]);
  expect(turn.behind(busy, 1, 0)?.group).toBe(id(2));
  const free = readSlots('s', [lock(1), entry(1, '6'), entry(3, '8')]);
  expect(turn.behind(free, 1, 50_000)?.group, 'its time starts when slots are free').toBe(id(1));
  expect(turn.behind(free, 1, 59_999)?.group).toBe(id(1));
  expect(turn.behind(free, 1, 60_000)).toBeNull();
});

test('a client that wants more than the limit delays no other', () => {
  const slots = readSlots('s', [lock(2), entry(1, '6', 3), entry(2, '7')]);
  expect(new Turn(id(2), 10_000).behind(slots, 2, 0)).toBeNull();
});
