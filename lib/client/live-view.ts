/**
 * A page's present knowledge: the snapshot, and this browser's connection. `live.ts` is the only writer; components
 * read it through `page-data.ts`.
 */
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { keptSnapshot } from './keep-rows';
import type { ConnectionState } from './stream';

/** Consul's own freshness is `Snapshot.source`. */
export interface Connection {
  readonly state: ConnectionState;
  /**
   * Live: the start of it. Otherwise the last sign of the server, by its clock (`server-clock.ts`), which may be long
   * before the page noticed. `null` before the first connection.
   */
  readonly sinceMs: number | null;
}

/** The state on the server, and while the page hydrates. */
export const notConnected: Connection = { state: 'connecting', sinceMs: null };

export interface Cell<T> {
  readonly get: () => T;
  /** Notifies the listeners at once, unless the value is the same object. */
  readonly set: (value: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export interface LiveView {
  readonly snapshot: Cell<Snapshot>;
  readonly connection: Cell<Connection>;
  /** The backend's last answer, by the server's clock. Nothing on show was confirmed later. `null`: unknown. */
  readonly contact: Cell<number | null>;
}

function cellOf<T>(first: T, merge: (before: T, after: T) => T = (_, after) => after): Cell<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (next === value) return;
      value = merge(value, next);
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function createLiveView(first: Snapshot): LiveView {
  return {
    snapshot: cellOf(first, keptSnapshot),
    connection: cellOf(notConnected),
    // A stream's first snapshot carries the last change, which would set this time back.
    contact: cellOf(first.source.lastContactMs),
  };
}
