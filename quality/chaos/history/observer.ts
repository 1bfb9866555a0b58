/** An independent recorder of holds, in its own process (`observer-process.mjs`), so that the run does not delay it. */
import { fork } from 'node:child_process';
import { inProject } from '@/scripts/project.mjs';

/** The time of a change: after one read and by the next, in epoch milliseconds. */
export interface Span {
  readonly afterMs: number;
  readonly byMs: number;
}

/**
 * The end of a hold, as seen.
 * - `let-go`: the key or the record does not name it any more.
 * - `key-gone`, `record-gone`: the key or the record is gone.
 * - `record-spoiled`: the record has lost its form or its flags.
 * - `several`: more than one left the record in one write, and their own entries stayed.
 */
export type Ending = 'let-go' | 'key-gone' | 'record-gone' | 'record-spoiled' | 'several';

export interface SeenHold {
  /** `lock:KEY` or `semaphore:PREFIX`. */
  readonly subject: string;
  readonly session: string;
  /** LockIndex; `null` for a slot, which has none. */
  readonly token: string | null;
  readonly from: Span;
  /** `null`: still held. */
  readonly to: Span | null;
  readonly ending: Ending | null;
  /** True when Consul ended the session and released the key in one step, by its indexes. */
  readonly withSession: boolean;
}

export interface Seen {
  readonly holds: readonly SeenHold[];
  /** When it read the keys, in epoch milliseconds. */
  readonly readsMs: readonly number[];
  /** When each session ended. */
  readonly sessionsEnded: ReadonlyMap<string, Span>;
  /** When keys, records and entries of contenders went, by key. */
  readonly gone: readonly { readonly key: string; readonly span: Span }[];
  /** When a record lost its form or its flags, by key. */
  readonly spoiled: readonly { readonly key: string; readonly span: Span }[];
  /** When a key or a well-formed record came, or regained its form, by key. */
  readonly made: readonly { readonly key: string; readonly span: Span }[];
}

export interface Observer {
  /** Ends the recorder, and returns everything that it saw. */
  stop(): Promise<Seen>;
}

/** Follows everything below `prefix` from now on. Resolves once it does. `address`: past every proxy. */
export async function observe(asked: {
  readonly address: string;
  readonly prefix: string;
  /** Prefixes of the semaphores, which last through the run. */
  readonly semaphores: readonly string[];
}): Promise<Observer> {
  const child = fork(inProject('quality/chaos/history/observer-process.mjs'), [JSON.stringify(asked)]);
  const heard = () =>
    new Promise<unknown>((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', (code) => reject(new Error(`the observer ended with ${code}`)));
    });
  await heard();
  return {
    stop: async () => {
      const told = heard() as Promise<Omit<Seen, 'sessionsEnded'> & { sessionsEnded: [string, Span][] }>;
      child.send('tell');
      const { sessionsEnded, ...seen } = await told;
      child.kill();
      return { ...seen, sessionsEnded: new Map(sessionsEnded) };
    },
  };
}
