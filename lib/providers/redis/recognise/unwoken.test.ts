/** Who may sleep beside readers, by what was watched. */
import { describe, expect, test } from 'vitest';
import { noSleep, type Sleep, sleepAfter, sleepHeard } from './unwoken';

const reader = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f:41';
const writer = `${reader}:write`;
const other = '77777777-7a0e-4a51-9d3e-0c5a2b1d4e6f:7';

const next = (
  before: Sleep,
  holders: readonly string[],
  atMs: number,
  given: { ttlMs?: number | null; fresh?: boolean; isTold?: boolean } = {},
) => {
  const { ttlMs = 30_000, fresh = true, isTold = false } = given;
  return sleepAfter(before, { atMs, slackMs: 0, ttlMs }, { holders, fresh, isTold });
};
const written = next(noSleep, [writer, reader], 1_000);
const readsOn = next(written, [reader], 5_000);

describe('beside readers', () => {
  test('those who listen since a writer reads on may sleep, until the latest end that it had', () => {
    // A re-entry adds a lease, and a renewal takes it away again: who read the longer end sleeps until that.
    const longer = next(written, [writer, reader], 2_000, { ttlMs: 60_000 });
    const renewed = next(longer, [writer, reader], 3_000);
    const asleep = sleepHeard(next(renewed, [reader], 5_000), 2, 5_100);
    expect(asleep.unwoken).toEqual({ writer, sinceMs: 5_000, untilMs: 62_000, clients: 2 });
    expect(next(asleep, [reader, other], 61_999).unwoken?.clients).toBe(2);
    expect(next(asleep, [reader], 62_000)).toBe(noSleep);
    const endless = next(next(noSleep, [writer, reader], 0, { ttlMs: null }), [reader], 1);
    expect(endless.unwoken?.untilMs).toBe(Number.POSITIVE_INFINITY);
  });

  test('nobody is counted before a look that began after the writer let go', () => {
    expect(readsOn.unwoken?.clients).toBeNull();
    expect(sleepHeard(readsOn, 2, 4_999)).toBe(readsOn);
  });

  test('who comes later is not counted, and once nobody is left nothing more is said', () => {
    const two = sleepHeard(readsOn, 2, 5_100);
    expect(sleepHeard(two, 3, 7_000)).toBe(two);
    expect(sleepHeard(two, 1, 7_000).unwoken?.clients).toBe(1);
    expect(sleepHeard(two, 0, 7_000)).toBe(noSleep);
  });

  test('nothing is said where the writer let go wholly, wrote on, was missed, or Signalbox sent the message', () => {
    expect(next(next(noSleep, [writer], 1_000), [reader], 5_000), 'taken anew').toBe(noSleep);
    expect(next(written, [other], 5_000)).toBe(noSleep);
    expect(next(written, [], 5_000)).toBe(noSleep);
    expect(next(written, [writer], 5_000).unwoken).toBeNull();
    expect(next(written, [reader], 5_000, { fresh: false })).toBe(noSleep);
    expect(next(written, [reader], 5_000, { isTold: true })).toBe(noSleep);
    expect(next(noSleep, [reader], 5_000)).toBe(noSleep);
    expect(next(readsOn, [writer], 6_000).unwoken).toBeNull();
    expect(next(readsOn, [], 6_000)).toBe(noSleep);
  });
});
