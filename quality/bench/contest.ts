/** Contenders for one lock or semaphore, ours and Go's, and a slice of time in which they contend. */
import { setMaxListeners } from 'node:events';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import { Lock } from '@/packages/locks/src/lock';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { sessionsEnded } from '@/packages/locks/src/session';
import type { TestConsul } from '@/test/support/consul';
import { goLock, goSemaphore } from './go-recipes';
import { plainHttp } from './plain';

/** The limit of a semaphore. */
export const slots = 2;
export const sliceMs = 1_600;
/**
 * The uncounted time before the slice, in which contenders find their places. It ends after as many cycles as
 * contenders.
 */
const warmUpMs = { min: 500, max: 8_000 };

/** One contender: takes the lock once, and resolves with a function that gives it back. */
type Take = (signal: AbortSignal) => Promise<() => Promise<void>>;

export interface Side {
  readonly take: Take;
  readonly count: { readonly reads: number };
}

/** Contenders for the same lock or semaphore. */
export interface Party {
  readonly sides: readonly Side[];
  /** Called after the contention: waits for the end of the sessions, and closes the connections. */
  readonly end: () => Promise<void>;
}

export interface Measured {
  cycles: number;
  reads: number;
  ms: number;
  /** The longest acquire, unfinished ones included. */
  longestMs: number;
  /** From the request for a release to the next waiter's acquisition. */
  readonly handedMs: number[];
}

const readNames: ReadonlySet<string> = new Set(['list', 'get', 'sessions', 'session']);

function counting(client: ConsulClient): { client: ConsulClient; count: { reads: number } } {
  const count = { reads: 0 };
  const counted = new Proxy(client, {
    get: (target, name, self) => {
      if (readNames.has(String(name))) {
        const call = Reflect.get(target, name, self) as (...rest: unknown[]) => unknown;
        return (...rest: unknown[]) => {
          count.reads += 1;
          return call.apply(target, rest);
        };
      }
      return Reflect.get(target, name, self);
    },
  });
  return { client: counted, count };
}

/** Runs the contention for a while, and leaves no trace in Consul and no connection. */
export async function slice({ sides, end }: Party, holdMs: number): Promise<Measured> {
  const into: Measured = { cycles: 0, reads: 0, ms: 0, longestMs: 0, handedMs: [] };
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  let cycles = 0;
  let measuring = false;
  let freedMs = 0;
  const waiting = new Map<Side, number>();
  const waited = (sinceMs: number) => {
    if (measuring) into.longestMs = Math.max(into.longestMs, performance.now() - sinceMs);
  };
  const running = sides.map(async (side) => {
    while (!stop.signal.aborted) {
      const sinceMs = performance.now();
      waiting.set(side, sinceMs);
      const release = await side.take(stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
        return null;
      });
      waiting.delete(side);
      if (release === null) return;
      waited(sinceMs);
      if (measuring && freedMs > sinceMs) into.handedMs.push(performance.now() - freedMs);
      if (holdMs > 0) await pause(holdMs);
      freedMs = performance.now();
      await release();
      cycles += 1;
    }
  });
  const readsNow = () =>
    [...new Set(sides.map(({ count }) => count))].reduce((sum, { reads }) => sum + reads, 0);
  await pause(warmUpMs.min);
  const warmUntilMs = performance.now() + warmUpMs.max;
  while (cycles < sides.length && performance.now() < warmUntilMs) await pause(20);
  const [fromCycles, fromReads, fromMs] = [cycles, readsNow(), performance.now()];
  measuring = true;
  await pause(sliceMs);
  for (const sinceMs of waiting.values()) waited(sinceMs);
  measuring = false;
  into.cycles = cycles - fromCycles;
  into.reads = readsNow() - fromReads;
  into.ms = performance.now() - fromMs;
  stop.abort();
  await Promise.all(running);
  await end();
  return into;
}

export type Kind = 'lock' | 'lock, held for no time' | 'lock, a process each' | 'semaphore';

/** `n` contenders for a lock or semaphore of this name. */
export interface Contest {
  readonly consul: TestConsul;
  readonly kind: Kind;
  readonly name: string;
  readonly n: number;
}

export function ours({ consul, kind, name, n }: Contest): Party {
  const clients: ConsulClient[] = [];
  const open = (max: { maxPolls?: number; maxCalls?: number }) => {
    const counted = counting(consul.client(max));
    clients.push(counted.client);
    return counted;
  };
  const shared = kind === 'lock, a process each' ? null : open({ maxPolls: 256, maxCalls: 256 });
  const sides = Array.from({ length: n }, () => {
    const own = shared ?? open({ maxCalls: 256 });
    const recipe =
      kind === 'semaphore'
        ? new Semaphore(own.client, { prefix: name, limit: slots })
        : new Lock(own.client, { key: name });
    return {
      count: own.count,
      take: async (signal: AbortSignal) => {
        const held = await recipe.acquire({ signal });
        return () => held.release();
      },
    };
  });
  const end = async () => {
    await Promise.all(clients.map(sessionsEnded));
    for (const client of clients) client.close();
  };
  return { sides, end };
}

export function theirs({ consul, kind, name, n }: Contest): Party {
  const plain = plainHttp(consul.address);
  const end = new AbortController();
  const all = Array.from({ length: n }, () =>
    kind === 'semaphore'
      ? goSemaphore(plain, { prefix: name, limit: slots }, end.signal)
      : goLock(plain, name, end.signal),
  );
  return {
    sides: all.map(({ acquire: take, count }) => ({ take, count })),
    end: async () => {
      end.abort();
      await Promise.all(all.map(({ ended }) => ended()));
      plain.close();
    },
  };
}
