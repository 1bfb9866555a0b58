/**
 * The clients of plain semaphores in a storm. They take a permit, work, and give it back, or forget it like a dead
 * process. Other clients take permits with a lease, and are gone before it ends.
 */
import { JavaThrown } from '@/test/support/driven';
import type { RedissonThread } from '@/test/support/redisson';
import type { Change } from './counter-judge';
import { any, below, type Hold, pause, work } from './history';
import { repeatMs } from './redis-judge';
import { isGone } from './redisson-work';

const copies = [0, 1, 2];
export const counters = copies.map((n) => `l:count-${n}`);
/** More than all clients take at once, and forget before an operator gives it back. */
export const counterFirst = 12;
/** One permit of this many is forgotten. */
const forgotten = 12;

export interface CountOptions {
  readonly isOver: () => boolean;
  readonly isDead: () => boolean;
  readonly onChange: (change: Change) => void;
  /** The holder is gone without giving its permit back. */
  readonly onLost: (place: string) => void;
}

export async function counts(
  thread: RedissonThread,
  { isOver, isDead, onChange, onLost }: CountOptions,
): Promise<void> {
  /** One call, true when its answer said done. A call without an answer, or with a late one, is unsure. */
  const call = async (place: string, permits: number, once: () => Promise<boolean>): Promise<boolean> => {
    const fromMs = Date.now();
    const got = await once().catch((error) => {
      if (error instanceof JavaThrown || isGone(error)) return null;
      throw error;
    });
    const toMs = Date.now();
    if (got !== false || toMs - fromMs >= repeatMs)
      onChange({ place, permits, fromMs, toMs, told: got === true ? 'done' : 'unsure' });
    return got === true;
  };
  while (!isOver() && !isDead()) {
    const place = any(counters) ?? '';
    const semaphore = thread.semaphore(place);
    if (!(await call(place, -1, () => semaphore.acquire({ waitMs: 500 })))) {
      await pause(50);
      continue;
    }
    await work();
    if (isDead() || below(forgotten) === 0) onLost(place);
    else await call(place, 1, () => semaphore.release().then(() => true));
  }
}

/** No other client takes from these pools, so that an expired permit stays until it is swept. */
export const graves = copies.map((n) => `l:grave-${n}`);
const graveLeaseMs = 1_000;
/** A client that takes a permit also sweeps the pool, so each pool rests for longer than a lease. */
const graveRestMs = 900;

/** Takes permits that are never given back. */
export async function dies(
  thread: RedissonThread,
  { isOver, onHold }: { readonly isOver: () => boolean; readonly onHold: (hold: Hold) => void },
): Promise<void> {
  for (let n = 0; !isOver(); n += 1) {
    const place = graves[n % graves.length] ?? '';
    const askedMs = Date.now();
    try {
      const [who] = await thread.permits(place).acquire({ waitMs: 500, leaseMs: graveLeaseMs });
      const now = Date.now();
      if (who !== undefined)
        onHold({
          ...{ place, who, shared: true, askedMs, fromMs: now, letMs: now, endMs: now },
          ...{ end: 'killed', leaseMs: graveLeaseMs },
        });
    } catch (error) {
      if (!(error instanceof JavaThrown)) throw error;
    }
    await pause(graveRestMs);
  }
}
