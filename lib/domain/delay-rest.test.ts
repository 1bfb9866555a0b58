import { expect, test } from 'vitest';
import { refusedUntilMs } from './delay-rest';

test.each([
  ['it runs', 'delayed', 900, 900],
  ['the clock has passed its end', 'delayed', 500, null],
  ['the watch saw its end, before the clock did', 'free', 900, null],
  ['somebody took it', 'held', 900, null],
  ['its end is not known', 'delayed', null, null],
] as const)('until when a lock is refused: %s', (_, state, delayedUntilMs, until) => {
  expect(refusedUntilMs({ state, delayedUntilMs }, 500)).toBe(until);
});
