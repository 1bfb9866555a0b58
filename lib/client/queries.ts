'use client';
/**
 * How components read the live snapshot. The query cache holds it under one key; `live.ts` is its only writer, so
 * no query here ever fetches by itself.
 *
 * React hydrates parts of a page later than others, when the stream has long brought something newer than what the
 * server rendered. So these hooks hand out the server's snapshot for hydration and the current one from then on;
 * `useQuery` would hand out the current one at once, and the late part would not match its own HTML.
 */
import {
  type QueryKey,
  queryOptions,
  replaceEqualDeep,
  skipToken,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useCallback, useContext, useRef, useSyncExternalStore } from 'react';
import type { Snapshot } from '@/lib/domain/snapshot';
import type { ConnectionState } from './stream';

/** How well this browser is connected to Signalbox. Consul's own freshness is `Snapshot.source`. */
export interface Connection {
  readonly state: ConnectionState;
  /** Since when it is in this state, epoch milliseconds of this browser; `null` before the first connection. */
  readonly sinceMs: number | null;
}

/** What only the stream writes: never fetched, never stale, never collected. */
const pushed = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY };

export const snapshotQuery = queryOptions<Snapshot>({
  queryKey: ['snapshot'],
  queryFn: skipToken,
  ...pushed,
});
export const connectionQuery = queryOptions<Connection>({
  queryKey: ['connection'],
  queryFn: skipToken,
  ...pushed,
});

/** What the connection is before there is one: on the server, and while the page hydrates. */
export const notConnected: Connection = { state: 'connecting', sinceMs: null };

/** What the server rendered. Provided by `LiveRoot`. */
export const InitialSnapshot = createContext<Snapshot | null>(null);

/** What a frozen page shows instead of the present; `null` where nothing is frozen. Provided by `FrozenPage`. */
export const FrozenSnapshot = createContext<Snapshot | null>(null);

interface Cached<T> {
  readonly queryKey: QueryKey;
  readonly initial: T;
  /** Shown whatever is in the cache; `null` for what is in it. */
  readonly frozen: T | null;
}

/** The value of one query, and `initial` on the server and for hydration. Never fetches. */
function useCached<T, P>({ queryKey, initial, frozen }: Cached<T>, part: (value: T) => P): P {
  const client = useQueryClient();
  const last = useRef<{ value: T; part: (value: T) => P; result: P } | null>(null);
  const subscribe = useCallback(
    (changed: () => void) =>
      client.getQueryCache().subscribe(({ type, query }) => {
        if (type === 'updated' && query.queryKey[0] === queryKey[0]) changed();
      }),
    [client, queryKey],
  );
  const read = (value: T): P => {
    const known = last.current;
    if (known !== null && known.value === value && known.part === part) return known.result;
    // What did not change keeps its identity, so that the component does not render for it. The cache has done that
    // for the whole already; done again, everyone would have a copy of their own, and rows be made for each.
    const made = part(value);
    const isWhole = (made as unknown) === value;
    const result = known === null || isWhole ? made : (replaceEqualDeep(known.result, made) as P);
    last.current = { value, part, result };
    return result;
  };
  return useSyncExternalStore(
    subscribe,
    () => read(frozen ?? client.getQueryData<T>(queryKey) ?? initial),
    () => read(frozen ?? initial),
  );
}

const whole = <T>(value: T): T => value;

/** The whole snapshot; renders again with every change. Prefer `useSnapshotPart`. */
export function useSnapshot(): Snapshot {
  return useSnapshotPart(whole);
}

/**
 * A part of the snapshot; renders again only when that part changes (compared by structure). Give a `select` that
 * keeps its identity between renders, or it runs each time.
 */
export function useSnapshotPart<T>(select: (snapshot: Snapshot) => T): T {
  const initial = useContext(InitialSnapshot);
  const frozen = useContext(FrozenSnapshot);
  if (initial === null) throw new Error('The live snapshot is only there below <LiveRoot>.');
  return useCached({ queryKey: snapshotQuery.queryKey, initial, frozen }, select);
}

/** The connection from this browser to Signalbox. */
export function useConnection(): Connection {
  return useCached({ queryKey: connectionQuery.queryKey, initial: notConnected, frozen: null }, whole);
}
