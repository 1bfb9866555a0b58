/**
 * Those of this process who wait for one key, in order of arrival. Only the first of them asks Consul; the others wait
 * here, without a session and without a query. A release then costs Consul the same however many wait in one process.
 * Its session goes to one of them, if it is such as they would make.
 *
 * Across processes a lock has no line: it is one key, and every process that waits has to watch it.
 */
import type { ConsulClient, SessionRequest } from '@/lib/consul/client';
import type { KeptSession } from './session';

export class Line {
  readonly #waiting: (() => void)[] = [];
  #occupied = false;
  #spare: { readonly session: KeptSession; readonly kind: string } | null = null;

  constructor(private readonly onEmpty: () => void) {}

  /** Keeps a session that locks nothing any more for the next one, and says so; false: nobody here needs it. */
  leaveSession(session: KeptSession, request: SessionRequest): boolean {
    if (this.#waiting.length === 0 || this.#spare !== null || session.lost.aborted) return false;
    this.#spare = { session, kind: JSON.stringify(request) };
    return true;
  }

  /** A session that was left here and is what was asked for; `null`: there is none. */
  takeSession(request: SessionRequest): KeptSession | null {
    const spare = this.#spare;
    if (spare === null || spare.kind !== JSON.stringify(request)) return null;
    this.#spare = null;
    return spare.session.lost.aborted ? null : spare.session;
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
      // What cannot be ended now, its TTL ends.
      this.#spare?.session.end().catch(() => {});
      this.#spare = null;
    };
  }
}

const lines = new WeakMap<ConsulClient, Map<string, Line>>();

/** The line of all who wait for this key by this client, if anybody does. */
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
