'use client';
/**
 * How components read the live snapshot. The query cache holds it under one key; `live.ts` is its only writer, so
 * no query here ever fetches by itself.
 */
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import type { Snapshot } from '@/lib/domain/model';

/** How well this browser is connected to Signalbox. Consul's own freshness is `Snapshot.source`. */
export interface Connection {
  readonly state: 'live' | 'connecting' | 'lost';
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

function present<T>(data: T | undefined): T {
  if (data === undefined) throw new Error('The live snapshot is only there below <LiveRoot>.');
  return data;
}

/** The whole snapshot; renders again with every change. Prefer `useSnapshotPart`. */
export function useSnapshot(): Snapshot {
  return present(useQuery(snapshotQuery).data);
}

/**
 * A part of the snapshot; renders again only when that part changes (compared by structure). Give a `select` that
 * keeps its identity between renders, or it runs each time.
 */
export function useSnapshotPart<T>(select: (snapshot: Snapshot) => T): T {
  return present(useQuery({ ...snapshotQuery, select }).data);
}

/** The connection from this browser to Signalbox. */
export function useConnection(): Connection {
  return useQuery(connectionQuery).data ?? { state: 'connecting', sinceMs: null };
}
