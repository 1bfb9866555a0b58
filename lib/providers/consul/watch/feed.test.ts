import { expect, test } from 'vitest';
import type { ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import { feed } from './feed';
import { createDoubts } from './index-reset';
import { comingSinceMs, newReadings, type Reading, type Readings, take } from './readings';

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
      doubts: createDoubts(),
      putBack: () => {},
      leaderless: () => {},
      contact: () => {},
      changed: () => {
        told.push(memory.unshownSinceMs);
        // Shown at once, except the last.
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

/** Feeds `one` with the answers of `read`, and records its value and whether there is a gap at each change. */
async function played(
  one: Reading<readonly string[]>,
  readings: Readings,
  replies: (Reply<readonly string[]> | (() => Reply<readonly string[]>))[],
  from: string | null = null,
) {
  const end = new AbortController();
  const memory: { afterGap: boolean; unshownSinceMs: number | null } = {
    afterGap: false,
    unshownSinceMs: null,
  };
  const told: (readonly [unknown, boolean])[] = [];
  await feed(
    {
      client: {} as never,
      clock: { now: () => 0, monotonicMs: () => 0, random: () => 0, pause: async () => {} } as never,
      readings,
      memory,
      doubts: createDoubts(),
      putBack: () => {},
      leaderless: () => {},
      contact: () => {},
      changed: () => {
        told.push([one.value, memory.afterGap]);
        memory.afterGap = false;
      },
    },
    one,
    {
      from,
      vital: () => true,
      same: (before, after) => before.join() === after.join(),
      read: async () => {
        const next = replies.shift();
        if (next !== undefined) return typeof next === 'function' ? next() : next;
        end.abort();
        throw end.signal.reason;
      },
    },
    end.signal,
  );
  return { told, afterGap: memory.afterGap };
}

const sees = (index: string, ...names: string[]): Reply<readonly string[]> => ({
  ...reply(index),
  value: names,
});

test('rows that enter or leave the view without a new index are taken, and not as created or ended', async () => {
  const readings = newReadings(['']);
  const one = readings.roots[0] as never as Reading<readonly string[]>;
  const both = sees('5', 'a', 'b');
  const { told } = await played(one, readings, [both, both, sees('5', 'a'), sees('5', 'a'), both]);
  expect(told).toEqual([
    [['a', 'b'], false],
    [['a'], true],
    [['a', 'b'], true],
  ]);
});

test("an answer older than another read's is no news", async () => {
  const readings = newReadings(['']);
  const one = readings.sessions as never as Reading<readonly string[]>;
  const { told, afterGap } = await played(one, readings, [
    sees('5', 'a'),
    () => {
      readings.tick += 1;
      take(readings, one, sees('6', 'a', 'b'), { askedTick: readings.tick, stale: false });
      return sees('5', 'a');
    },
  ]);
  expect([told.length, one.value, afterGap]).toEqual([1, ['a', 'b'], false]);
});

test('an equal answer that is only cut for the token has no gap', async () => {
  const readings = newReadings(['']);
  const one = readings.roots[0] as never as Reading<readonly string[]>;
  const { told } = await played(one, readings, [sees('5', 'a'), { ...sees('5', 'a'), filtered: true }]);
  expect([told, one.filtered]).toEqual([
    [
      [['a'], false],
      [['a'], false],
    ],
    true,
  ]);
});
