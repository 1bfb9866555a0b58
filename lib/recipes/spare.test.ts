import { expect, test } from 'vitest';
import { giveWayMs } from './spare';

/** Asked for at 1,000 ms, and made 3 ms later. */
const left = { askedMs: 1_000, leftMs: 1_003, sinceMs: 990, waits: false };

test('one that met somebody leaves the key alone for twice as long as its release took', () => {
  expect(giveWayMs(left, 1_003, true)).toBe(6);
  expect(giveWayMs(left, 1_005, true)).toBe(4);
  expect(giveWayMs(left, 1_500, true)).toBe(0);
  expect(giveWayMs({ ...left, leftMs: 9_000 }, 9_000, true)).toBe(50);
});

test('one that met nobody comes back at once, but now and then gives way to somebody whom it has not seen', () => {
  expect(giveWayMs(left, 1_003, false)).toBe(0);
  expect(giveWayMs({ ...left, sinceMs: 900 }, 1_003, false)).toBe(6);
});

test('one that waited in the same process waits no longer', () => {
  expect(giveWayMs({ ...left, waits: true }, 1_003, true)).toBe(0);
});
