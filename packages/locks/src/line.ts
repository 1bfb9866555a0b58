/**
 * Those of this process who wait for one key, in order of arrival. Only the first of them asks Consul; the others wait
 * here, without a session and without a query. A release then costs Consul the same however many wait in one process.
 *
 * Whoever holds the key here may lock it for the first of them in the write that releases it, which saves a write and a
 * wake-up; for a moment only, because those of other processes do not see the key free meanwhile.
 *
 * Across processes a lock has no line: it is one key, and every process that waits has to watch it (`rivalry.ts`).
 */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { amongUsMs } from './spare';

/** Who is in front, and may be given the key. */
export interface Front {
  readonly session: string;
  /** What it stores in the key. */
  readonly value: Buffer;
}

interface Place {
  readonly who: Front;
  /** Aborts when the key has been locked for them, or may have been. */
  readonly called: AbortSignal;
  readonly call: () => void;
  /** When one of us won the key that is handed on; `null`: it was not handed on. Monotonic milliseconds. */
  amongUsSinceMs: number | null;
  /** Settles when nobody is locking the key for them. */
  giving: Promise<unknown>;
}

export class Line {
  readonly #waiting: (() => void)[] = [];
  #occupied = false;
  #front: Place | null = null;

  constructor(private readonly onEmpty: () => void) {}

  /**
   * Stands in front as `who`. Before the session is ended, wait for `leave`: nobody locks anything with it after that.
   */
  stand(who: Front): Pick<Place, 'called' | 'amongUsSinceMs'> & { leave(): Promise<unknown> } {
    const call = new AbortController();
    const place: Place & { leave(): Promise<unknown> } = {
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
   * Lets `give` lock the key for the one in front. False when it was not done or may not have been: nobody is in front,
   * the key has been among us for long, or `give` failed. `sinceMs`: when one of us won the key from everybody.
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
    // Where the answer was lost it may have been done.
    if (given === false) place.amongUsSinceMs = null;
    else place.call();
    return given === true;
  }

  /** Whether somebody stands behind the one in front. */
  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when it is our turn, with what lets the next one come forward. Rejects with the signal's reason. */
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
      // The place stays taken, so that nobody steps in before the one who is called forward.
      if (next !== undefined) return next();
      this.#occupied = false;
      this.onEmpty();
    };
  }
}

const lines = new WeakMap<ConsulClient, Map<string, Line>>();

/** The line of all who wait for this key by this client, if there is one. */
export function lineAt(client: ConsulClient, key: string): Line | null {
  return lines.get(client)?.get(key) ?? null;
}

/** As `lineAt`; a new one where there is none. Whoever asks enters it. */
export function lineFor(client: ConsulClient, key: string): Line {
  const ofClient = lines.get(client) ?? new Map<string, Line>();
  lines.set(client, ofClient);
  const line = ofClient.get(key) ?? new Line(() => ofClient.delete(key));
  ofClient.set(key, line);
  return line;
}
