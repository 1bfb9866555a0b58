import { expect, test } from 'vitest';
import type { ShownRow } from '@/lib/domain/actions/deed';
import { deedMarksIn } from './deed-marks';

const row = (over: Partial<ShownRow>): ShownRow => ({
  kind: 'intent',
  thread: 't',
  who: { kind: 'anonymous' },
  address: null,
  action: 'lock.wake',
  subjects: ['lock:a'],
  reason: '',
  detail: {},
  atMs: 1_000,
  replica: 'r',
  ...over,
});
const outcome = (text: string, over: Partial<ShownRow> = {}) =>
  row({ kind: 'outcome', detail: { outcome: text }, atMs: 1_040, ...over });

test('an action is marked as the history marks it: by the place of its intent, at the time of its outcome', () => {
  expect(deedMarksIn([outcome('done'), row({ seq: 7, reason: 'it sleeps' })], 9_000)).toEqual([
    { seq: 7, by: null, type: 'lock.wake', reason: 'it sleeps', atMs: 1_040 },
  ]);
  expect(deedMarksIn([outcome('partly'), row({})], 9_000)).toMatchObject([{ seq: null, reason: null }]);
});

test('what was refused, is under way or is not known to have been written has no mark, nor has a sign-in', () => {
  expect(deedMarksIn([row({})], 9_000)).toEqual([]);
  expect(deedMarksIn([row({})], 900_000)).toEqual([]);
  expect(deedMarksIn([outcome('unknown-result'), row({})], 9_000)).toEqual([]);
  expect(deedMarksIn([row({ kind: 'refused' })], 9_000)).toEqual([]);
  expect(deedMarksIn([row({ kind: 'sign-in', action: null })], 9_000)).toEqual([]);
});
