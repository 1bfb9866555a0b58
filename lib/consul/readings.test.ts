import { expect, test } from 'vitest';
import type { Reply } from './client';
import { newReadings, take } from './readings';
import type { Row } from './wire';

const reply = (change: Partial<Reply<readonly Row[]>>): Reply<readonly Row[]> => ({
  value: [],
  index: '7',
  lastContactMs: 0,
  knownLeader: true,
  filtered: false,
  ...change,
});

test('that Consul left something out is kept with the root, and forgotten when it leaves out nothing', () => {
  const [root] = newReadings(['a/']).roots;
  if (root === undefined) throw new Error('no root');
  take({ tick: 1 }, root, reply({ filtered: true }), { askedTick: 1, stale: false });
  expect(root.filtered).toBe(true);
  take({ tick: 2 }, root, reply({ index: '8' }), { askedTick: 2, stale: false });
  expect(root.filtered).toBe(false);
});

test('an answer that is older than what is there changes nothing', () => {
  const [root] = newReadings(['a/']).roots;
  if (root === undefined) throw new Error('no root');
  take({ tick: 5 }, root, reply({ index: '9', filtered: true }), { askedTick: 5, stale: false });
  take({ tick: 6 }, root, reply({ index: '8' }), { askedTick: 4, stale: false });
  expect(root).toMatchObject({ index: '9', filtered: true });
});

test('an answer with a lower index is older also when it was asked for later, unless the other had come in by then', () => {
  const [root] = newReadings(['a/']).roots;
  if (root === undefined) throw new Error('no root');
  // A query that blocks since tick 1 brings 9 while one of tick 2 is under way.
  const readings = { tick: 2 };
  take(readings, root, reply({ index: '9' }), { askedTick: 1, stale: false });
  take(readings, root, reply({ index: '8' }), { askedTick: 2, stale: false });
  expect(root.index).toBe('9');
  take(readings, root, reply({ index: '3' }), { askedTick: readings.tick, stale: false });
  expect(root.index, 'the index has started anew').toBe('3');
});
