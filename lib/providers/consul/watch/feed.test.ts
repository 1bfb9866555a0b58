import { expect, test } from 'vitest';
import type { ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import { type Fed, type Feeding, feed } from './feed';
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
  const memory: Feeding['memory'] = { afterGap: false, gapTick: 0, unshownSinceMs: null };
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
  { from = null, uncovers }: Pick<Fed<readonly string[]>, 'from' | 'uncovers'> = {},
) {
  const end = new AbortController();
  const memory: Feeding['memory'] = { afterGap: false, gapTick: 0, unshownSinceMs: null };
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
      ...(uncovers === undefined ? {} : { uncovers }),
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

test('an entry that comes into view with other news, under a higher index, is not taken as created', async () => {
  const readings = newReadings(['']);
  const one = readings.roots[0] as never as Reading<readonly string[]>;
  const judged: unknown[] = [];
  const uncovers: Fed<readonly string[]>['uncovers'] = (before, index, after) => {
    judged.push([before, index, after]);
    return after.includes('hidden');
  };
  const replies = [sees('5', 'a'), sees('6', 'a', 'b'), sees('7', 'a', 'hidden')];
  const { told } = await played(one, readings, replies, { uncovers });
  expect(told.map(([, afterGap]) => afterGap)).toEqual([false, false, true]);
  expect(judged).toEqual([
    [['a'], '5', ['a', 'b']],
    [['a', 'b'], '6', ['a', 'hidden']],
  ]);
});

test("an answer that is dropped for another read's brings nothing into view", async () => {
  const readings = newReadings(['']);
  const one = readings.sessions as never as Reading<readonly string[]>;
  const { told } = await played(
    one,
    readings,
    [
      sees('5', 'a'),
      () => {
        readings.tick += 1;
        take(readings, one, sees('7', 'b'), { askedTick: readings.tick, stale: false });
        // It began before that read, and shows an entry that has gone since.
        return sees('6', 'a', 'b');
      },
    ],
    { uncovers: (before, _, after) => after.some((name) => !before.includes(name)) },
  );
  expect(told).toEqual([
    [['a'], false],
    [['b'], false],
  ]);
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
