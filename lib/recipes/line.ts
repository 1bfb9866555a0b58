/**
 * Those of this process who wait for one key, in order of arrival. Only the first of them asks Consul; the others wait
 * here, without a session and without a query. A release then costs Consul the same however many wait in one process.
 *
 * Across processes a lock has no line: it is one key, and every process that waits has to watch it. What they can
 * do is not to write all at once: `rivalry` says how often the key went to somebody else lately.
 */
import type { ConsulClient } from '@/lib/consul/client';

/** How fast the rivalry follows: a lost race or two is noticed, one alone is soon forgotten. */
const rivalryWeight = 0.25;

export class Line {
  readonly #waiting: (() => void)[] = [];
  #occupied = false;
  #rivalry = 0;

  constructor(private readonly onEmpty: () => void) {}

  /** The share of the last races for the free key that were lost: 0 to 1. */
  get rivalry(): number {
    return this.#rivalry;
  }

  /** A race for the free key is over. */
  raced(won: boolean): void {
    this.#rivalry += ((won ? 0 : 1) - this.#rivalry) * rivalryWeight;
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

/** The line of all who wait for this key by this client. */
export function lineFor(client: ConsulClient, key: string): Line {
  const ofClient = lines.get(client) ?? new Map<string, Line>();
  lines.set(client, ofClient);
  const line = ofClient.get(key) ?? new Line(() => ofClient.delete(key));
  ofClient.set(key, line);
  return line;
}
