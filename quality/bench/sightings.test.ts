import { expect, test } from 'vitest';
import type { Patch } from '@/lib/domain/world/change';
import { createSightings } from './sightings';

const edits = (of: string, modifyIndex: string | undefined): Patch => ({
  from: 1,
  to: 2,
  asOfMs: 0,
  put: {},
  edit: { locks: [{ of, set: modifyIndex === undefined ? { state: 'free' } : { modifyIndex } }] },
  remove: {},
});

test('a write is seen by the first patch that shows it, before its answer or after it', () => {
  const sightings = createSightings();
  const seen: number[] = [];
  const see = (atMs: number) => void seen.push(atMs);
  sightings.onPatch(edits('a', '7'), 100);
  sightings.onPatch(edits('a', '8'), 200);
  sightings.written({ name: 'a', index: 7, sentMs: 90 }, see);
  sightings.written({ name: 'a', index: 9, sentMs: 95 }, see);
  expect(seen).toEqual([100]);
  sightings.onPatch(edits('a', '9'), 300);
  sightings.onPatch(edits('a', '10'), 400);
  expect(seen).toEqual([100, 300]);
});

test('a later write to the same name shows an earlier one', () => {
  const sightings = createSightings();
  const seen: number[] = [];
  sightings.written({ name: 'a', index: 7, sentMs: 90 }, (atMs) => seen.push(atMs));
  sightings.onPatch(edits('a', '12'), 300);
  expect(seen).toEqual([300]);
  expect(sightings.unseen()).toEqual([]);
});

test('a write that no patch shows stays unseen', () => {
  const sightings = createSightings();
  const write = { name: 'a', index: 7, sentMs: 90 };
  sightings.written(write, () => expect.unreachable());
  sightings.onPatch(edits('a', '6'), 100);
  sightings.onPatch(edits('a', undefined), 200);
  sightings.onPatch(edits('b', '9'), 300);
  expect(sightings.unseen()).toEqual([write]);
});
