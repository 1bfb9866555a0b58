/**
 * Waiters of this process for one key, in order of arrival. Only the first asks Consul. The others wait without a
 * session or a query, so the cost of a release to Consul does not depend on their number.
 *
 * The holder of the key in this process may lock it for the first waiter in the write that releases it. It does so only
 * for a short time, because other processes do not see the key free.
 *
 * A lock has no line across processes: every process that waits must watch its one key (`rivalry.ts`).
 */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { amongUsMs } from './spare-session';

/** The first waiter, which may receive the key. */
export interface Front {
  readonly session: string;
  readonly value: Buffer;
}

interface LinePlace {
  readonly who: Front;
  /** Aborts when the key has been locked for this waiter, or may have been. */
  readonly called: AbortSignal;
  readonly call: () => void;
  /** The instant at which this process won the key, in monotonic milliseconds; `null`: the key was not handed on. */
  amongUsSinceMs: number | null;
  /** Settles when no client is locking the key for this waiter. */
  giving: Promise<unknown>;
}

export class Line {
  readonly #waiting: (() => void)[] = [];
  #occupied = false;
  #front: LinePlace | null = null;

  constructor(private readonly onEmpty: () => void) {}

  /**
   * Stands in front as `who`. Wait for `leave` before the session ends. After it no client locks anything with that
   * session.
   */
  stand(who: Front): Pick<LinePlace, 'called' | 'amongUsSinceMs'> & { leave(): Promise<unknown> } {
    const call = new AbortController();
    const place: LinePlace & { leave(): Promise<unknown> } = {
      who,
      called: call.signal,
      call: () => call.abort(),
      amongUsSinceMs: null,
      giving: Promise.resolve(),
      leave: () => {
        if (this.#front === place) this.#front = null;
        return place.giving;
      },
    };
    this.#front = place;
    return place;
  }

  /**
   * Lets `give` lock the key for the first waiter. False when this did not happen or may not have happened: there is no
   * waiter, the key has been in this process for too long, or `give` failed. `sinceMs`: the instant at which this
   * process won the key.
   */
  async handOn(
    { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs: number },
    give: (to: Front) => Promise<boolean>,
  ): Promise<boolean> {
    const place = this.#front;
    if (place === null || nowMs - sinceMs > amongUsMs) return false;
    this.#front = null;
    place.amongUsSinceMs = sinceMs;
    const giving = give(place.who).catch(() => null);
    place.giving = giving;
    const given = await giving;
    // Without an answer the key may be locked.
    if (given === false) place.amongUsSinceMs = null;
    else place.call();
    return given === true;
  }

  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves at our turn, with a function that ends it. Rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#occupied)
      await new Promise<void>((resolve, reject) => {
        const forward = () => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const leave = () => {
          this.#waiting.splice(this.#waiting.indexOf(forward), 1);
          reject(signal.reason);
        };
        this.#waiting.push(forward);
        signal.addEventListener('abort', leave, { once: true });
      });
    this.#occupied = true;
    let inFront = true;
    return () => {
      if (!inFront) return;
      inFront = false;
      const next = this.#waiting.shift();
      // The place stays taken, so that no newcomer passes the next one.
      if (next !== undefined) return next();
      this.#occupied = false;
      this.onEmpty();
    };
  }
}

const lines = new WeakMap<ConsulClient, Map<string, Line>>();

/** The line for this key and client; `null`: no client waits. */
export function lineAt(client: ConsulClient, key: string): Line | null {
  return lines.get(client)?.get(key) ?? null;
}

/** As `lineAt`, or a new line, which the caller enters. */
export function lineFor(client: ConsulClient, key: string): Line {
  const ofClient = lines.get(client) ?? new Map<string, Line>();
  lines.set(client, ofClient);
  const line = ofClient.get(key) ?? new Line(() => ofClient.delete(key));
  ofClient.set(key, line);
  return line;
}
