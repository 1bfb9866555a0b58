import { expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { giveWayMs, mayBeOf } from './spare-session';

/** Asked for at 1,000 ms, and made 3 ms later. */
const left = { askedMs: 1_000, leftMs: 1_003, sinceMs: 990, waits: false, met: false };
const met = { ...left, met: true };

test('a client with rivals leaves the key alone for twice as long as its release took', () => {
  expect(giveWayMs(met, 1_003)).toBe(6);
  expect(giveWayMs(met, 1_005)).toBe(4);
  expect(giveWayMs(met, 1_500)).toBe(0);
  expect(giveWayMs({ ...met, leftMs: 9_000 }, 9_000)).toBe(50);
});

test('a client without rivals comes back at once, but now and then gives way to unseen ones', () => {
  expect(giveWayMs(left, 1_003)).toBe(0);
  expect(giveWayMs({ ...left, sinceMs: 900 }, 1_003)).toBe(6);
});

test('one that waited in the same process waits no longer', () => {
  expect(giveWayMs({ ...met, waits: true }, 1_003)).toBe(0);
});

test('a row is of a later hold for sure only where both the key has moved and its LockIndex has grown', () => {
  const last = { modifyIndex: '90', lockIndex: '9' } as KvRow;
  const row = (modifyIndex: string, lockIndex: string) => ({ ...last, modifyIndex, lockIndex });
  expect(mayBeOf(last, row('101', '10')), 'the next hold').toBe(false);
  expect(mayBeOf(last, last), 'the same').toBe(true);
  expect(mayBeOf(last, row('95', '0')), 'written plainly during that hold').toBe(true);
  expect(mayBeOf(last, row('20', '12')), 'before the key was deleted').toBe(true);
});
