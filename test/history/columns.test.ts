/** The last hour of one subject, of what a store has. */

import { describe, expect, test } from 'vitest';
import type { Hold } from '@/lib/domain/history/episode';
import { holdOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { createColumns } from '@/lib/server/history/columns';
import { createHistoryLog } from '@/lib/server/history/history-log';
import { storesHere } from '@/test/support/stores';

const kinds = await storesHere();
const minuteMs = 60_000;
const nowMs = 1_700_000_000_000;

/** Minutes before now. */
const hold = (id: string, from: number, to: number | null): Hold =>
  holdOf(nowMs - from * minuteMs, to === null ? null : nowMs - to * minuteMs, {
    id,
    subject: { source: 'consul', kind: 'semaphore', prefix: 'pool' },
    who: whoOf(id),
  });

describe.each(kinds)('$name', (kind) => {
  test('a slot that is held since long is seen, however many of the others ended before the hour', async () => {
    const ended = Array.from({ length: 60 }, (_, i) => hold(`e${i}`, 200 - i, 199 - i));
    const heldIn = async (old: Hold) => {
      const store = kind.open(await kind.place());
      const log = createHistoryLog({ store, writer: 'one', now: () => nowMs });
      await log.hold();
      await log.write(
        [old, ...ended].map((row) => ({ kind: 'hold', row })),
        nowMs,
      );
      const { columns } = createColumns({ store, since: async () => 0, now: () => nowMs });
      return (await columns(['semaphore:pool'])).get('semaphore:pool')?.heldShare;
    };
    expect(await heldIn(hold('open', 300, null))).toBe(1);
    expect(await heldIn(hold('half', 300, 30))).toBeCloseTo(0.5);
    expect(await heldIn(hold('over', 300, 299))).toBe(0);
  });
});
