import { expect, test } from 'vitest';
import { timed } from './call-cost';

/** One question, of whose `tookMs` this process waited for `idleMs`. */
async function asked({ tookMs, idleMs }: { tookMs: number; idleMs: number }): Promise<number> {
  let [nowMs, idle] = [1_000_000, 5_000];
  const none = { value: [], index: '1' } as never;
  const { asker, costMs } = timed(
    {
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

test('a question of a process that never waits costs a quarter of its time, as Consul worked on it all the same', async () => {
  expect(await asked({ tookMs: 80, idleMs: 0 })).toBe(20);
});
