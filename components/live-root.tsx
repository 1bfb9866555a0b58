'use client';
/** Puts the server-rendered snapshot into the query cache and keeps it live for everything below. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { startLive } from '@/lib/client/live';
import { connectionQuery, InitialSnapshot, notConnected, snapshotQuery } from '@/lib/client/queries';
import type { Snapshot } from '@/lib/domain/snapshot';

/**
 * `initial` is what the server rendered: hydration uses it, so nothing flashes. Later values are ignored: from then
 * on the stream is the only writer.
 */
export function LiveRoot({ initial, children }: { initial: Snapshot; children: ReactNode }) {
  const [first] = useState(initial);
  const [client] = useState(() => {
    const created = new QueryClient();
    created.setQueryData(snapshotQuery.queryKey, initial);
    created.setQueryData(connectionQuery.queryKey, notConnected);
    return created;
  });
  useEffect(() => startLive({ client }), [client]);
  return (
    <QueryClientProvider client={client}>
      <InitialSnapshot value={first}>{children}</InitialSnapshot>
    </QueryClientProvider>
  );
}
