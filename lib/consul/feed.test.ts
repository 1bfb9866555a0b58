import { expect, test } from 'vitest';
import type { ReadOptions, Reply } from './client';
import { feed } from './feed';
import { comingSinceMs, newReadings, type Reading } from './readings';

const reply = (index: string): Reply<readonly never[]> => ({
  value: [{} as never],
  index,
  lastContactMs: 0,
  knownLeader: true,
  filtered: false,
});

test('news that was slow in coming counts as old from when it began to come until it is shown', async () => {
  let nowMs = 1_000;
  const end = new AbortController();
  const readings = newReadings(['']);
  const memory: { afterGap: boolean; unshownSinceMs: number | null } = {
    afterGap: false,
    unshownSinceMs: null,
  };
  const asked: ((options: ReadOptions) => Promise<Reply<readonly never[]>>)[] = [
    async () => reply('5'),
    // The same again: quiet from here on.
    async () => reply('5'),
    async ({ block, onHead }) => {
      expect(block?.index).toBe('5');
      nowMs = 20_000;
      expect(comingSinceMs(readings)).toBeNull();
      onHead?.();
      nowMs = 80_000;
      expect(comingSinceMs(readings)).toBe(20_000);
      return reply('6');
    },
  ];
  const told: (number | null)[] = [];
  await feed(
    {
      client: {} as never,
      clock: {
        now: () => nowMs,
        monotonicMs: () => nowMs,
        random: () => 0,
        pause: async () => {},
      } as never,
      readings,
      memory,
      contact: () => {},
      changed: () => {
        told.push(memory.unshownSinceMs);
        // It is shown at once, but for the last.
        if (told.length === 1) memory.unshownSinceMs = null;
        else end.abort();
      },
    },
    readings.roots[0] as never,
    {
      vital: () => true,
      same: () => true,
      read: (options) => {
        const next = asked.shift();
        if (next === undefined) return Promise.reject(end.signal.reason);
        return next(options);
      },
    },
    end.signal,
  );
  expect(told).toEqual([1_000, 20_000]);
});

test('what comes into view or leaves it without a new index is taken, and not for having begun or ended', async () => {
  const end = new AbortController();
  const readings = newReadings(['']);
  const memory: { afterGap: boolean; unshownSinceMs: number | null } = {
    afterGap: false,
    unshownSinceMs: null,
  };
  const sees = (...names: string[]): Reply<readonly string[]> => ({ ...reply('5'), value: names });
  const replies = [sees('a', 'b'), sees('a', 'b'), sees('a'), sees('a'), sees('a', 'b')];
  const told: (readonly [unknown, boolean])[] = [];
  const one = readings.roots[0] as never as Reading<readonly string[]>;
  await feed(
    {
      client: {} as never,
      clock: { now: () => 0, monotonicMs: () => 0, random: () => 0, pause: async () => {} } as never,
      readings,
      memory,
      contact: () => {},
      changed: () => {
        told.push([one.value, memory.afterGap]);
        memory.afterGap = false;
        if (replies.length === 0) end.abort();
      },
    },
    one,
    {
      vital: () => true,
      same: (before, after) => before.join() === after.join(),
      read: async () => replies.shift() ?? Promise.reject(end.signal.reason),
    },
    end.signal,
  );
  expect(told).toEqual([
    [['a', 'b'], false],
    [['a'], true],
    [['a', 'b'], true],
  ]);
});
