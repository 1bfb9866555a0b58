import { expect, onTestFinished, test } from 'vitest';
import { pause } from '@/lib/providers/consul/client/clock';
import { createTurns } from './turns';

/** Time that passes only during a wait. */
function staged() {
  let nowMs = 1_000_000;
  let endMs = 0;
  let done = () => {};
  let goOn = () => {};
  const clock = {
    now: () => nowMs,
    pause: async (ms: number, signal: AbortSignal) => {
      await Promise.resolve();
      signal.throwIfAborted();
      nowMs += ms;
      if (nowMs < endMs) return;
      done();
      await new Promise<void>((resolve, reject) => {
        goOn = resolve;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
  const turns = createTurns(clock);
  const leaves: (() => void)[] = [];
  onTestFinished(() => {
    for (const leave of leaves) leave();
  });
  return {
    /** Adds a sight whose turns cost `costMs`, and the first one `firstMs`; `null`: it asks nothing. Returns the times of its turns. */
    bring: (from: string, costMs: number, firstMs: number | null = costMs) => {
      const atMs: number[] = [];
      const take = async () => {
        const cost = atMs.length === 0 ? firstMs : costMs;
        atMs.push(nowMs);
        nowMs += cost ?? 0;
        return cost;
      };
      leaves.push(turns.join({ from: () => from, take }));
      return atMs;
    },
    run: async (ms: number) => {
      endMs = nowMs + ms;
      await new Promise<void>((resolve) => {
        done = resolve;
        goOn();
      });
    },
  };
}

const apart = (atMs: readonly number[]) => atMs.slice(1).map((ms, i) => ms - (atMs[i] ?? 0));
const longest = (atMs: readonly number[]) => Math.max(...apart(atMs));

test('a few that cost little are asked every two seconds', async () => {
  const stage = staged();
  const all = Array.from({ length: 10 }, (_, n) => stage.bring(`team ${n}`, 6));
  await stage.run(60_000);
  for (const atMs of all) expect(longest(atMs)).toBeLessThan(2_200);
});

test.each([
  [10, 6],
  [33, 6],
  [64, 6],
  [10, 60],
  [3, 400],
])(
  '%i that cost %i ms each take a thirtieth of the time at the most, after their first turns',
  async (count, costMs) => {
    const stage = staged();
    const all = Array.from({ length: count }, (_, n) => stage.bring(`team ${n}`, costMs));
    await stage.run(600_000);
    const cost = all.reduce((sum, atMs) => sum + (atMs.length - 1) * costMs, 0);
    expect(cost / 600_000).toBeLessThanOrEqual(0.034);
    // Every sight, and not the same few again and again.
    const counts = all.map(({ length }) => length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  },
);

test('a network that brings hundreds waits for itself, and delays no other', async () => {
  const stage = staged();
  const hoard = Array.from({ length: 300 }, () => stage.bring('hoarder', 6));
  const others = Array.from({ length: 9 }, (_, n) => stage.bring(`team ${n}`, 6));
  await stage.run(600_000);
  for (const atMs of others) {
    expect(longest(atMs.slice(1))).toBeLessThan(2_500);
    // All first turns are taken at once, and all second ones are due at once.
    expect(longest(atMs)).toBeLessThan(3_500);
  }
  for (const atMs of hoard) expect(longest(atMs)).toBeGreaterThan(20_000);
});

test('of many who come at once, each has two turns within five seconds, although the first ones are slow', async () => {
  const stage = staged();
  const all = Array.from({ length: 20 }, (_, n) => stage.bring(`team ${n}`, 5, 50));
  await stage.run(60_000);
  for (const atMs of all) {
    expect((atMs[1] ?? Number.POSITIVE_INFINITY) - 1_000_000).toBeLessThan(2_000 + 5_000);
    expect(longest(atMs)).toBeLessThan(5_000);
  }
  // And the first turns rest for as long as one round.
  const first = all.map(([ms = 0]) => ms);
  expect(Math.max(...first) - Math.min(...first)).toBeGreaterThanOrEqual(1_800);
});

test('a first turn in which nothing could be asked is not the first', async () => {
  const stage = staged();
  const atMs = stage.bring('team', 300, null);
  await stage.run(60_000);
  // Thirty times its cost would be nine seconds.
  expect((atMs[2] ?? Number.POSITIVE_INFINITY) - (atMs[1] ?? 0)).toBeLessThan(5_000);
});

test('a network that comes late has saved nothing up', async () => {
  const stage = staged();
  const early = Array.from({ length: 100 }, () => stage.bring('early', 6));
  await stage.run(100_000);
  const before = early.flat().length;
  const late = Array.from({ length: 100 }, () => stage.bring('late', 6));
  await stage.run(100_000);
  expect(late.flat().length / (early.flat().length - before)).toBeLessThan(1.1);
});

test('while an agent stands still, no sight waits for the answer to another', async () => {
  const turns = createTurns({ now: Date.now, pause });
  let open = 0;
  let most = 0;
  const take = async () => {
    open += 1;
    most = Math.max(most, open);
    await pause(700);
    open -= 1;
    return null;
  };
  const leaves = Array.from({ length: 12 }, (_, n) => turns.join({ from: () => `team ${n}`, take }));
  await expect.poll(() => most, { timeout: 10_000 }).toBeGreaterThan(3);
  for (const leave of leaves) leave();
});
