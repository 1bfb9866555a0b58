/**
 * A lock that changes all the time. Each write contains its number, which gives the age of a screen to the millisecond.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { within } from '@/lib/server/process/deadline';
import { lockFlags } from './reader';

export const pulseKey = 'chaos/pulse';
const everyMs = 150;
const timeoutMs = 2_000;

export interface Pulse {
  /** The number of writes that Consul has confirmed. */
  readonly beats: number;
  /**
   * How long Consul has known a value that this screen lacks, in milliseconds. 0: the screen is up to date, or ahead of
   * the confirmation.
   */
  behindMs(snapshot: Snapshot | null): number;
  stop(): Promise<void>;
}

/** Beats from now on, through every outage of these servers. */
export function startPulse({
  addresses,
  token,
}: {
  addresses: readonly string[];
  token: string | null;
}): Pulse {
  const end = new AbortController();
  /** When each confirmed write was answered, by its number, oldest first. */
  let confirmed: { readonly n: number; readonly atMs: number }[] = [];
  let beats = 0;
  let session: string | null = null;

  const put = async (path: string, body: string): Promise<string> => {
    let last: unknown;
    for (const address of addresses)
      try {
        const response = await fetch(`http://${address}/v1/${path}`, {
          method: 'PUT',
          body,
          headers: token === null ? {} : { 'x-consul-token': token },
          signal: within(timeoutMs, end.signal),
        });
        const text = await response.text();
        if (response.ok) return text;
        last = new Error(text);
      } catch (error) {
        end.signal.throwIfAborted();
        last = error;
      }
    throw last;
  };
  const beat = async (n: number) => {
    // Without check and TTL, the session lasts as long as the data.
    const terms = { Name: 'chaos pulse', Behavior: 'release', LockDelay: '0s', Checks: [], NodeChecks: [] };
    session ??= (JSON.parse(await put('session/create', JSON.stringify(terms))) as { ID: string }).ID;
    if ((await put(`kv/${pulseKey}?acquire=${session}&flags=${lockFlags}`, `${n}`)).trim() !== 'true')
      throw new Error('held by another');
    confirmed.push({ n, atMs: performance.now() });
    beats += 1;
  };
  const beating = (async () => {
    for (let n = 1; !end.signal.aborted; n += 1) {
      await beat(n).catch((error: unknown) => {
        // When the data is gone or restored, the session is gone, too.
        if (/invalid session|held by another/.test(String(error))) session = null;
      });
      await delay(everyMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
  })();
  return {
    get beats() {
      return beats;
    },
    behindMs: (snapshot) => {
      const value = snapshot?.locks.find(({ key }) => key === pulseKey)?.value?.content;
      const shown = value === undefined || !/^\d+$/.test(value) ? 0 : Number(value);
      const missed = confirmed.find(({ n }) => n > shown);
      if (confirmed.length > 4_000) confirmed = confirmed.slice(-2_000);
      return missed === undefined ? 0 : performance.now() - missed.atMs;
    },
    stop: async () => {
      end.abort();
      await beating;
    },
  };
}
