import { expect, test } from 'vitest';
import { timed } from './call-cost';

/** One question, of whose `tookMs` this process waited for `idleMs`. */
async function asked({ tookMs, idleMs }: { tookMs: number; idleMs: number }): Promise<number> {
  let [nowMs, idle] = [1_000_000, 5_000];
  const none = { value: [], index: '1' } as never;
  const { asker, costMs } = timed(
    {
      get: async () => none,
      keys: async () => none,
      authorize: async (_, options) => {
        nowMs += tookMs;
        idle += idleMs;
        options?.onHead?.();
        // The rest of the answer counts for nothing.
        nowMs += 50;
        idle += 50;
        return [];
      },
    },
    { now: () => nowMs },
    () => idle,
  );
  await asker.authorize([]);
  return costMs();
}

test('a question costs what this process waited for it, and not its own work', async () => {
  expect(await asked({ tookMs: 80, idleMs: 78 })).toBe(78);
  expect(await asked({ tookMs: 80, idleMs: 30 })).toBe(30);
});

test('questions at once count once, one that fails counts, and a later one is added', async () => {
  let nowMs = 0;
  const ends: ((error?: Error) => void)[] = [];
  const { asker, costMs } = timed(
    {
      get: () => Promise.reject(new Error('not asked')),
      keys: () => Promise.reject(new Error('not asked')),
      authorize: () =>
        new Promise((resolve, reject) => {
          ends.push((error) => (error === undefined ? resolve([]) : reject(error)));
        }),
    },
    { now: () => nowMs },
    () => nowMs,
  );
  const first = asker.authorize([]);
  nowMs = 40;
  const second = asker.authorize([]).catch(() => 'failed');
  nowMs = 80;
  ends[0]?.();
  await first;
  nowMs = 100;
  ends[1]?.(new Error('gone'));
  expect(await second).toBe('failed');
  expect(costMs()).toBe(100);
  nowMs = 500;
  const third = asker.authorize([]);
  nowMs = 530;
  ends[2]?.();
  await third;
  expect(costMs()).toBe(130);
});

test('a question of a process that never waits costs a quarter of its time, as Consul worked on it all the same', async () => {
  expect(await asked({ tookMs: 80, idleMs: 0 })).toBe(20);
});
