/**
 * The storm over the history: real `consul lock`, plain clients that come and go in every way, and a person who acts.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '@/quality/chaos/chance';
import { type ConsulLock, runConsulLock } from '@/test/support/consul';
import { consulCalls } from './consul-calls';
import { contend, spoil } from './slot-clients';

export const stormPrefix = 'storm/';
/** The raw semaphores and that of `consul lock`, with their limits. */
const slots = [
  { prefix: 'storm/slots-a', limit: 2 },
  { prefix: 'storm/slots-b', limit: 3 },
] as const;
const spoiled = { prefix: 'storm/spoiled', limit: 3 } as const;
const commands = { prefix: 'storm/commands', limit: 2 } as const;
export const stormSemaphores: readonly string[] = [...slots, spoiled, commands].map(({ prefix }) => prefix);
const lockKeys = Array.from({ length: 6 }, (_, n) => `storm/lock-${n}`);
const flags = '3304740253564472344';

/** The present holds below the storm's prefix. */
export async function heldNow(
  address: string,
): Promise<readonly { readonly subject: string; readonly session: string }[]> {
  const rows = await consulCalls(address).list(stormPrefix);
  return rows.flatMap(({ key, session, value }) => {
    const prefix = stormSemaphores.find((one) => key.startsWith(`${one}/`));
    if (prefix === undefined) return session === null ? [] : [{ subject: `lock:${key}`, session }];
    if (key !== `${prefix}/.lock`) return [];
    const ids = value.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
    return ids.map((id) => ({ subject: `semaphore:${prefix}`, session: id }));
  });
}

export interface Storm {
  /** Failures of clients by their messages. None of them may matter. */
  readonly strays: readonly string[];
  readonly killed: () => number;
  stop(): Promise<void>;
}

/** Runs the storm until it is stopped. `address`: past every proxy. */
export function startStorm({
  address,
  binary,
  chance,
}: {
  address: string;
  binary: string;
  chance: Chance;
}): Storm {
  const end = new AbortController();
  const { signal } = end;
  // Each client listens on it.
  setMaxListeners(0, signal);
  const calls = consulCalls(address);
  const strays: string[] = [];
  const running = new Set<ConsulLock>();
  let killed = 0;
  const rest = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
  /** Repeats a client, which fails when it is evicted in the middle. */
  const forever = async (one: () => Promise<void>) => {
    while (!signal.aborted)
      await one().catch(async (error: unknown) => {
        if (!signal.aborted) strays.push(error instanceof Error ? error.message : String(error));
        await rest(300);
      });
  };

  const lockOnce = async () => {
    const key = lockKeys[Math.floor(chance() * lockKeys.length)] ?? '';
    const behavior = chance() < 0.5 ? 'release' : 'delete';
    const id = await calls.session({ name: 'storm lock', behavior, delay: chance() < 0.3 ? '2s' : '0s' });
    const acquire = () => calls.put(`kv/${key}?acquire=${id}&flags=${flags}`, 'storm');
    try {
      let isHeld = false;
      for (let n = 0; n < 20 && !isHeld && !signal.aborted; n += 1) {
        isHeld = (await acquire()) === 'true';
        if (!isHeld) await rest(100 + chance() * 300);
      }
      if (!isHeld) return;
      await rest(100 + chance() ** 2 * 6_000);
      const way = chance();
      const release = () => calls.put(`kv/${key}?release=${id}&flags=${flags}`, 'storm');
      if (way < 0.35) await release();
      else if (way < 0.5) {
        // The same session takes it again, which is another hold.
        await release();
        await rest(chance() * 1_000);
        await acquire();
        await rest(500 + chance() * 1_500);
      } else if (way < 0.65) await calls.remove(key);
      else if (way < 0.75) {
        await release();
        await calls.remove(key);
      }
      // Otherwise the session's end releases it.
      if (way < 0.65) await rest(chance() * 3_000);
    } finally {
      await calls.endSession(id);
    }
    await rest(chance() * 1_500);
  };

  const commandOnce = async (n: 1 | 2) => {
    const prefix = n === 1 ? 'storm/single' : commands.prefix;
    const child = runConsulLock(
      { binary, env: { CONSUL_HTTP_ADDR: address } },
      { n, prefix, command: `exec sleep ${(1 + chance() * 4).toFixed(2)}` },
    );
    running.add(child);
    const way = chance();
    const ended = child.exited.then(() => 'ended' as const);
    if (way < 0.35) {
      await Promise.race([ended, rest(1_500 + chance() * 3_000)]);
      if (way < 0.2) {
        killed += 1;
        child.kill9();
      } else child.terminate();
    }
    await Promise.race([ended, rest(60_000)]);
    child.kill9();
    await child.exited;
    running.delete(child);
    await rest(500 + chance() * 2_000);
  };

  const work = [
    ...Array.from({ length: 7 }, () => forever(lockOnce)),
    ...slots.flatMap((slot) =>
      Array.from({ length: slot.limit + 1 }, () =>
        forever(() => contend({ calls, slot, chance, rest, signal })),
      ),
    ),
    ...Array.from({ length: 3 }, () =>
      forever(() => contend({ calls, slot: spoiled, chance, rest, signal })),
    ),
    forever(() => spoil({ calls, slot: spoiled, chance, rest, signal })),
    forever(() => commandOnce(1)),
    forever(() => commandOnce(1)),
    ...Array.from({ length: 3 }, () => forever(() => commandOnce(2))),
  ];
  return {
    strays,
    killed: () => killed,
    stop: async () => {
      end.abort();
      for (const child of running) child.kill9();
      await Promise.all(work);
    },
  };
}
