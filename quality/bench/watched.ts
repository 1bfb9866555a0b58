/**
 * A server in front of a store of many rows, a client that follows its events, and the results of a write to a lock
 * there.
 */

import type { Patch } from '@/lib/domain/world/change';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { writeAs } from './crowd';
import { openEvents, type StreamEvent } from './events';
import type { BenchStage } from './figure';
import type { FurnishedLock } from './furnished';
import { type Plain, plainHttp } from './plain';
import { createScales } from './weighed';

const giveUpMs = 20_000;
const firstMs = 5_000;
const firstTriesMax = 24;

/** Waits for the patch with the lock `key`, one at a time for each key. */
function arrivals() {
  const waiting = new Map<string, (atMs: number) => void>();
  return {
    onPatch: (data: string, atMs: number) => {
      const { put, edit } = JSON.parse(data) as Patch;
      for (const { key } of put.locks ?? []) waiting.get(key)?.(atMs);
      for (const { of } of edit.locks ?? []) waiting.get(of)?.(atMs);
    },
    of: (key: string, withinMs = giveUpMs) =>
      new Promise<number>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`No patch had ${key}.`)), withinMs);
        waiting.set(key, (atMs) => {
          clearTimeout(timer);
          waiting.delete(key);
          resolve(atMs);
        });
      }),
  };
}

/**
 * `furnish`: fills the store, and returns its locks. `part`: the prefix that the client follows, and the only one with
 * writes.
 */
export async function watched<F extends { readonly locks: readonly FurnishedLock[] }>(
  furnish: (plain: Plain) => Promise<F>,
  { defer }: BenchStage,
  part = '',
) {
  const consul = await startConsul();
  const plain = plainHttp(consul.address);
  defer(plain.close);
  const furnished = await furnish(plain);
  const locks = furnished.locks.filter(({ key }) => key.startsWith(part));
  const scales = createScales();
  defer(scales.remove);
  const signalbox = await startServer({ consulAddress: consul.address, env: { ...scales.env } });
  const seen = arrivals();
  const query = part === '' ? '' : `?prefix=${encodeURIComponent(part)}`;
  const onEvent = ({ event, data, atMs }: StreamEvent) => {
    if (event === 'patch') seen.onPatch(data, atMs);
  };
  const events = await openEvents(signalbox.baseUrl, onEvent, query);
  const lockAt = (i: number) => {
    const lock = locks[(i * 7919) % locks.length];
    if (lock === undefined) throw new Error('There are no locks.');
    return lock;
  };
  // A large world comes as a snapshot, of a hundred megabytes at worst. A patch shows that it has arrived.
  for (let tries = 1; ; tries += 1) {
    const first = seen.of(lockAt(0).key, firstMs).catch((error: unknown) => {
      if (tries === firstTriesMax) throw error;
      return null;
    });
    await writeAs(plain, lockAt(0), `{"n":"first ${tries}"}`);
    if ((await first) !== null) break;
  }

  return {
    plain,
    address: consul.address,
    furnished,
    baseUrl: signalbox.baseUrl,
    scales,
    seen,
    lockAt,
    end: async () => {
      events.close();
      await signalbox.stop();
      await consul.stop();
    },
  };
}

export type Watched = Awaited<ReturnType<typeof watched>>;

/** Waits for the next write to this key like a plain client, on a connection of its own. */
export async function wakeOf(wakes: Plain, key: string) {
  const { headers } = await wakes.request('GET', `/v1/kv/${key}`);
  let wokeMs: number | null = null;
  const woken = wakes.request('GET', `/v1/kv/${key}?index=${headers['x-consul-index']}&wait=55s`).then(() => {
    wokeMs = performance.now();
    return wokeMs;
  });
  return {
    woken,
    /** Throws when the answer has come already. */
    mustWait: () => {
      if (wokeMs !== null) throw new Error(`Nobody has written to ${key}, and its query has come back.`);
    },
  };
}
