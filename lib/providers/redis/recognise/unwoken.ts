/**
 * Clients that sleep beside readers. A writer that also reads lets go without a message
 * (`RedissonWriteLock.unlockInnerAsync`), so a waiting reader sleeps until the end that it last read of the key. Redis
 * does not show which waiters want to read. Pure.
 */
import { redissonIdOf } from '@/lib/providers/redis/client/names';
import type { NameRead } from '@/lib/providers/redis/client/reading';

export interface Writing {
  readonly id: string;
  /** The latest end that the key had meanwhile, at which every sleeper wakes. `Infinity`: it had none. */
  readonly untilMs: number;
  /**
   * True when the writer also read, by the last reading. A writer that takes the lock again to read had released it
   * with a message.
   */
  readonly reads: boolean;
}

export interface Unwoken {
  readonly writer: string;
  /** When the writer was first seen to hold only its read. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The fewest listeners of every look since, each of them there throughout; `null`: no look yet. */
  readonly clients: number | null;
}

export interface Sleep {
  readonly writing: Writing | null;
  readonly unwoken: Unwoken | null;
}

export const noSleep: Sleep = { writing: null, unwoken: null };

const isWriter = (id: string): boolean => redissonIdOf(id)?.writer === true;

const readerOf = (writer: string): string => writer.slice(0, -':write'.length);

/**
 * `holders`: the holders in this reading of a read-write lock. `fresh`: nothing was missed since the last reading.
 * `isTold`: Signalbox has woken the waiters since then.
 */
export function sleepAfter(
  { writing, unwoken }: Sleep,
  { atMs, slackMs, ttlMs }: Pick<NameRead, 'atMs' | 'slackMs' | 'ttlMs'>,
  {
    holders,
    fresh,
    isTold,
  }: { readonly holders: readonly string[]; readonly fresh: boolean; readonly isTold: boolean },
): Sleep {
  const writer = holders.find(isWriter);
  if (writer !== undefined) {
    const endMs = ttlMs === null ? Number.POSITIVE_INFINITY : atMs + slackMs + ttlMs;
    const untilMs = writing?.id === writer ? Math.max(writing.untilMs, endMs) : endMs;
    return { writing: { id: writer, untilMs, reads: holders.includes(readerOf(writer)) }, unwoken: null };
  }
  if (!fresh || isTold || holders.length === 0) return noSleep;
  if (writing?.reads === true && holders.includes(readerOf(writing.id)))
    return {
      writing: null,
      unwoken: { writer: writing.id, sinceMs: atMs, untilMs: writing.untilMs, clients: null },
    };
  return unwoken !== null && atMs < unwoken.untilMs ? { writing: null, unwoken } : noSleep;
}

/** Takes in a look that began at `fromMs`. A later listener waits to write, because a reader would have got in. */
export function sleepHeard(sleep: Sleep, clients: number, fromMs: number): Sleep {
  const { unwoken } = sleep;
  if (unwoken === null || fromMs < unwoken.sinceMs) return sleep;
  const still = Math.min(unwoken.clients ?? clients, clients);
  if (still === 0) return noSleep;
  return still === unwoken.clients ? sleep : { writing: null, unwoken: { ...unwoken, clients: still } };
}
