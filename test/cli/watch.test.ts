import { expect, test } from 'vitest';
import { lock } from '@/lib/domain/fixture/world';
import type { Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createWorld } from '@/packages/cli/watch.mjs';

test('a lock of another source is printed with it, and what goes of one says nothing of the other', () => {
  const world = createWorld();
  const locks = [lock({ key: 'a' }), lock({ key: 'a', source: 'other' })];
  const first = world.snapshot({ version: 1, locks, semaphores: [], findings: [] } as unknown as Snapshot);
  expect(first.lines.map((line) => line.split('  ')[0])).toEqual(['lock a', 'lock a [other]']);
  const patch = (from: number, more: Partial<Patch>) =>
    world.patch({ from, to: from + 1, asOfMs: 1, put: {}, edit: {}, remove: {}, ...more })?.lines;
  const edit = { locks: [{ of: 'a', source: 'other', set: { state: 'free', holder: null } }] };
  expect(patch(1, { edit })).toEqual(['lock a [other]  free  (-a)']);
  expect(patch(2, { remove: { locks: ['a'] } })).toEqual(['lock a  gone']);
  expect(patch(3, { removeIn: { other: { locks: ['a'] } } })).toEqual(['lock a [other]  gone']);
});
