/**
 * What a page knows now: the snapshot, and how well this browser is connected. `live.ts` is its only writer, components read it
 * by `shown.ts`. A value and who hears of it, no more: nothing here is asked for, grows old or fails. The query cache, which
 * knows of all that, is for what a page asks the server (`answers.ts`), and comes with it.
 */
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { keptSnapshot } from './kept';
import type { ConnectionState } from './stream';

/** How well this browser is connected to Signalbox. Consul's own freshness is `Snapshot.source`. */
export interface Connection {
  readonly state: ConnectionState;
  /**
   * Live: since when. Otherwise: when the server was last heard, which may be long before anybody noticed (a machine that
   * slept). By the server's clock (`server-clock.ts`); `null` before the first connection.
   */
  readonly sinceMs: number | null;
}

/** What the connection is before there is one: on the server, and while the page hydrates. */
export const notConnected: Connection = { state: 'connecting', sinceMs: null };

export interface Cell<T> {
  readonly get: () => T;
  /** The value from now on. Who hears of it is told at once, unless it is the same one. */
  readonly set: (value: T) => void;
  /** For `useSyncExternalStore`. Returns what ends it. */
  readonly subscribe: (listener: () => void) => () => void;
}

export interface LiveView {
  readonly snapshot: Cell<Snapshot>;
  readonly connection: Cell<Connection>;
  /** When the backend answered Signalbox last, by the server's clock: later, nothing on show was confirmed. `null`: not known. */
  readonly contact: Cell<number | null>;
}

function cellOf<T>(first: T, keep: (before: T, after: T) => T = (_, after) => after): Cell<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (next === value) return;
      value = keep(value, next);
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The view of a page that begins with this snapshot. What did not change stays the same object in later ones. */
export function createLiveView(first: Snapshot): LiveView {
  return {
    snapshot: cellOf(first, keptSnapshot),
    connection: cellOf(notConnected),
    // The first snapshot of a stream tells when something last changed, and would put the time on show back until the next ping.
    contact: cellOf(first.source.lastContactMs),
  };
}
