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
  take(root, reply({ filtered: true }), 1, false);
  expect(root.filtered).toBe(true);
  take(root, reply({ index: '8' }), 2, false);
  expect(root.filtered).toBe(false);
});

test('an answer that is older than what is there changes nothing', () => {
  const [root] = newReadings(['a/']).roots;
  if (root === undefined) throw new Error('no root');
  take(root, reply({ index: '9', filtered: true }), 5, false);
  take(root, reply({ index: '8' }), 4, false);
  expect(root).toMatchObject({ index: '9', filtered: true });
});
