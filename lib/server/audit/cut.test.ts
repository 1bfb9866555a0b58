import { expect, test } from 'vitest';
import { cutDetail } from './cut';

test('a reader of the subject alone gets the numbers of waiters and leavers, and no names', () => {
  const queue = { waited: 3, waiting: 1, leftInAll: 2 };
  const one = {
    subject: 'semaphore:jobs',
    what: 'limit-changed',
    ...queue,
    left: ['s1', 's2'],
    leftMs: [3, 9],
    whom: [{ session: 's1', label: 'import-6', name: null, node: null, verdict: null }],
  };
  const detail = { watchedMs: 45_000, subjects: [one, { ...one, subject: 'semaphore:others' }] };
  expect(cutDetail({ detail, subjects: ['semaphore:jobs'] })).toEqual({
    watchedMs: 45_000,
    subjects: [{ subject: 'semaphore:jobs', what: 'limit-changed', ...queue }],
  });
});
