import { expect, test } from 'vitest';
import { createChanges } from './changes';

test('each node is looked at once, by the last that was told of it', () => {
  const changes = createChanges(10);
  for (const type of ['created', 'data', 'deleted'] as const) changes.add({ type, path: '/a' });
  for (const type of ['deleted', 'created'] as const) changes.add({ type, path: '/b' });
  expect(changes.any).toBe(true);
  expect(changes.take()).toEqual({ gone: ['/a'], read: ['/b'], flooded: false });
  expect(changes.any).toBe(false);
  expect(changes.take()).toEqual({ gone: [], read: [], flooded: false });
});

test('more than the bound is no list any more, until it was taken', () => {
  const changes = createChanges(2);
  for (const path of ['/a', '/b', '/a', '/c', '/d']) changes.add({ type: 'data', path });
  expect(changes.take()).toEqual({ gone: [], read: [], flooded: true });
  changes.add({ type: 'data', path: '/a' });
  expect(changes.take()).toEqual({ gone: [], read: ['/a'], flooded: false });
});
