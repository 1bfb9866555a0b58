/** Changing the stored limit of a semaphore. Evicts nobody. */

import { ProblemError } from '@/lib/domain/problem';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Ledger } from './ledger';
import { writeSlots } from './slots';

/**
 * Writes the limit that `next` makes of the stored one, 1 or more, and prunes dead holders in the same write. Returns
 * it, or `null` when `next` did. Writing the limit that is there already writes nothing. Throws a `ProblemError`:
 * `not-found` when there is no semaphore, `unknown-result` when the answer to the write was lost, and
 * `conflict-in-use` below the holders where a client may test equality, and would admit without bound: in a list, and
 * wherever the flags are not Go's (as in `lib/providers/consul/actions/resize-limit.ts`).
 */
export function resize(ledger: Ledger, next: (now: number) => number | null): Promise<number | null> {
  return ledger.edit<number | null>((slots) => {
    const now = slots.limit;
    if (now === null)
      throw new ProblemError({
        code: 'not-found',
        detail: `${slots.key} does not exist: no limit to change.`,
      });
    const to = next(now);
    if (to === null || to === now) return { value: null, result: to };
    if (!Number.isSafeInteger(to) || to < 1) throw new RangeError('A limit is 1 or more.');
    const mayTestEquality = slots.shape === 'list' || slots.flags !== semaphoreFlags;
    if (mayTestEquality && to < slots.live.length)
      throw new ProblemError({
        code: 'conflict-in-use',
        detail: `${slots.live.length} hold ${slots.key}: with a limit below, its clients may admit without bound. Lower it when fewer hold.`,
      });
    return { value: writeSlots(slots, to, slots.live), result: to };
  });
}

/** The stored limit plus (`direction` 1) or minus (-1) `n`, which is 1 or more. Returns the new one. */
export async function shift(ledger: Ledger, n: number, direction: 1 | -1): Promise<number> {
  if (!Number.isSafeInteger(n) || n < 1) throw new RangeError('permits must be 1 or more.');
  const limit = await resize(ledger, (now) => now + n * direction);
  if (limit === null) throw new Error('A shift of the limit was not made.');
  return limit;
}
