import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBackoff } from './backoff';

test('each failure doubles the wait up to the bound, and a success starts over', () => {
  const backoff = createBackoff({ random: () => 0.999999, minMs: 100, maxMs: 1_000 });
  const waits = [1, 2, 3, 4, 5, 6].map(() => Math.round(backoff.next()));
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  backoff.reset();
  expect(Math.round(backoff.next())).toBe(100);
});

test('the wait lies between half and the whole of its step, at any chance', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 0.999999, noNaN: true }), fc.nat(2_000), (chance, failures) => {
      const backoff = createBackoff({ random: () => chance });
      for (let n = 0; n < failures; n += 1) backoff.next();
      const wait = backoff.next();
      expect(wait).toBeGreaterThanOrEqual(125);
      expect(wait).toBeLessThanOrEqual(5_000);
    }),
    { numRuns: 50 },
  );
});
