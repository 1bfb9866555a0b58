import { expect, test } from 'vitest';
import { semaphore, waiter } from '@/lib/domain/fixture/world';
import { nextOfSlot, resizeMap, waitersOf } from './warning';

/** `part`: others may wait whom the token may not read. */
const jobs = (waiting: readonly string[], part: boolean) =>
  semaphore({ waiters: waiting.map((id) => waiter(id)), ...(part ? { part: true } : {}) });

test.each([[[]], [['b', 'c']]])(
  'a plan counts no waiters where some may be hidden from the token: %j',
  (waiting) => {
    const of = jobs(waiting, true);
    expect(waitersOf(of)).toEqual({ waiters: null, first: null });
    expect(nextOfSlot(of)).toEqual({ code: 'next-holder-unseen', facts: {} });
    expect(resizeMap({ waiters: waitersOf(of).waiters, limit: 3 })).toContainEqual({
      code: 'waiters-fail',
      facts: { waiters: null, limit: 3 },
    });
  },
);

test('where all contenders are seen a plan counts them, and names who came first', () => {
  const facts = { waiters: 2, first: 'b' };
  expect(waitersOf(jobs(['b', 'c'], false))).toEqual(facts);
  expect(nextOfSlot(jobs(['b', 'c'], false))).toEqual({ code: 'next-holder', facts });
  expect(waitersOf(jobs([], false))).toEqual({ waiters: 0, first: null });
});
