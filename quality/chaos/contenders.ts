/**
 * Real clients that take a slot, work, and give it back: ours (`packages/locks`) and `consul lock`. They speak to
 * Consul past the proxy, so a fault between Signalbox and Consul must not cost them a slot.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { type ConsulLock, runConsulLock } from '@/test/support/consul';
import type { Chance } from './chance';

/** The semaphore of our clients. */
export const pool = { prefix: 'chaos/pool', limit: 2, size: 4 } as const;
/** The semaphores of `consul lock`. */
export const pools = [
  { prefix: 'chaos/go', n: 2, size: 2 },
  { prefix: 'chaos/single', n: 1, size: 1 },
] as const;

export interface Loss {
  /** When the client that lost it began to ask for the slot. */
  readonly askedMs: number;
  readonly atMs: number;
  /** The sessions of our clients; `null` for `consul lock`, which does not report its own. */
  readonly sessions: readonly string[] | null;
  readonly text: string;
}

export interface Contenders {
  readonly taken: { readonly ours: number; readonly theirs: number };
  /** Slots lost before they were given back. */
  readonly losses: readonly Loss[];
  stop(): Promise<void>;
}

/** Starts the clients, which continue through every outage. `addresses`: the first is that of `consul lock`. */
export function startContenders({
  addresses,
  token,
  binary,
  chance,
}: {
  addresses: readonly string[];
  token: string | null;
  binary: string;
  chance: Chance;
}): Contenders {
  const end = new AbortController();
  const address = addresses.at(-1) ?? '';
  const env = { CONSUL_HTTP_ADDR: address, ...(token === null ? {} : { CONSUL_HTTP_TOKEN: token }) };
  const client = createConsulClient(consulSettings(env));
  const taken = { ours: 0, theirs: 0 };
  const losses: Loss[] = [];
  const lose = (loss: Omit<Loss, 'atMs'>) => {
    if (!end.signal.aborted) losses.push({ ...loss, atMs: performance.now() });
  };
  const rest = (ms: number) => delay(ms, undefined, { signal: end.signal }).catch(() => undefined);

  const contend = async (id: number) => {
    const semaphore = new Semaphore(client, {
      prefix: pool.prefix,
      limit: pool.limit,
      sessionName: `chaos contender ${id}`,
      sessionTtlMs: 15_000,
      headTimeoutMs: 2_000,
    });
    while (!end.signal.aborted)
      try {
        const askedMs = performance.now();
        const permit = await semaphore.acquire({ signal: end.signal, timeoutMs: 20_000 });
        taken.ours += 1;
        const { sessions } = permit;
        permit.lost.addEventListener('abort', () =>
          lose({ askedMs, sessions, text: `${permit.lost.reason}` }),
        );
        await delay(200 + chance() * 1_200, undefined, { signal: permit.lost }).catch(() => undefined);
        await permit.release();
        await rest(100 + chance() * 400);
      } catch {
        // Consul is away, or an eviction came before the permit.
        await rest(300);
      }
  };
  const running = new Set<ConsulLock>();
  const lockAgain = async ({ prefix, n }: { prefix: string; n: number }) => {
    while (!end.signal.aborted) {
      const askedMs = performance.now();
      const command = `echo began; exec sleep ${(0.5 + chance() * 2).toFixed(2)}`;
      const child = runConsulLock({ binary, env }, { n, prefix, command, args: ['-verbose'] });
      running.add(child);
      await child.exited;
      running.delete(child);
      const output = child.output();
      if (output.includes('began')) taken.theirs += 1;
      if (output.includes('Lock lost'))
        lose({ askedMs, sessions: null, text: `consul lock ${prefix}: ${output.trim().slice(-300)}` });
      await rest(300 + chance() * 500);
    }
  };
  const work = [
    ...Array.from({ length: pool.size }, (_, id) => contend(id)),
    ...pools.flatMap((one) => Array.from({ length: one.size }, () => lockAgain(one))),
  ];
  return {
    taken,
    losses,
    stop: async () => {
      end.abort();
      for (const child of running) child.kill9();
      // Late permits are released without a wait.
      client.close();
      await Promise.all(work);
    },
  };
}
