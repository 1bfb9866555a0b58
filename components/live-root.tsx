'use client';
/**
 * Puts the server-rendered snapshot into the query cache and keeps it live for everything below, as long as the person
 * for whom it was read is signed in. Then it is taken away: the next one at this screen is not to read it.
 */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { AheadContext } from '@/components/ahead';
import type { Opening } from '@/components/board/opening';
import { useSessionState, useSessionWatch } from '@/components/identity/session-root';
import { renewUnseen } from '@/components/renewal';
import { keptSnapshot } from '@/lib/client/kept';
import { startLive } from '@/lib/client/live';
import { connectionQuery, InitialSnapshot, notConnected, snapshotQuery } from '@/lib/client/queries';
import type { Identity } from '@/lib/domain/identity';
import type { Snapshot } from '@/lib/domain/snapshot';

/** While the stream is lost, the server is asked so often whether it is lost because the sign-in is over. */
const askAgainMs = 5_000;

/** A snapshot that says nothing: being read, as right after a start. */
function emptied(of: Snapshot): Snapshot {
  return {
    ...of,
    version: 0,
    locks: [],
    semaphores: [],
    sessions: [],
    findings: [],
    renewals: [],
    source: { ...of.source, state: 'catching-up', problem: null, renewals: [] },
  };
}

/** What the server rendered stands in the document's own scripts as well; they have run, and nobody needs their text. */
function clearDocument(): void {
  for (const script of document.querySelectorAll('script:not([src])')) script.textContent = '';
}

/**
 * `opening` is what the server rendered: hydration uses it, so nothing flashes. Later values are ignored: from then
 * on the stream is the only writer.
 */
export function LiveRoot({ opening, children }: { opening: Opening; children: ReactNode }) {
  const initial = opening.snapshot;
  const state = useSessionState();
  const watch = useSessionWatch();
  const signedIn = state.at === 'in';
  const [first, setFirst] = useState(initial);
  const [ahead, setAhead] = useState(opening.ahead);
  const [client] = useState(() => {
    const created = new QueryClient();
    created.setQueryDefaults(snapshotQuery.queryKey, {
      structuralSharing: (before, after) => keptSnapshot(before as Snapshot | undefined, after as Snapshot),
    });
    created.setQueryData(snapshotQuery.queryKey, initial);
    created.setQueryData(connectionQuery.queryKey, notConnected);
    return created;
  });
  // The page's person never changes; somebody else gets a page of their own.
  const [identity] = useState<Identity>(state.at === 'in' ? state.session.identity : state.was);
  useEffect(() => {
    if (!signedIn || watch === null) return;
    let stay = () => {};
    const onOtherBuild = (build: string) => {
      stay();
      stay = renewUnseen(build, () => client.getQueryData(connectionQuery.queryKey)?.state === 'live');
    };
    const end = startLive({ client, identity, onSignedOut: watch.end, onOtherBuild });
    const connectionLost = () => client.getQueryData(connectionQuery.queryKey)?.state === 'lost';
    const ask = setInterval(() => {
      if (document.visibilityState === 'visible' && connectionLost()) watch.look();
    }, askAgainMs);
    const unsubscribe = client.getQueryCache().subscribe(({ type, query }) => {
      if (type === 'updated' && query.queryKey[0] === connectionQuery.queryKey[0] && connectionLost())
        watch.look();
    });
    return () => {
      clearInterval(ask);
      unsubscribe();
      stay();
      const over = watch.state().at === 'out';
      end({ forget: over });
      if (!over) return;
      const shown = client.getQueryData(snapshotQuery.queryKey);
      client.clear();
      if (shown !== undefined) client.setQueryData(snapshotQuery.queryKey, emptied(shown));
      client.setQueryData(connectionQuery.queryKey, notConnected);
      setFirst(emptied);
      setAhead(null);
      clearDocument();
    };
  }, [client, identity, watch, signedIn]);
  return (
    <QueryClientProvider client={client}>
      <InitialSnapshot value={first}>
        <AheadContext value={ahead}>{children}</AheadContext>
      </InitialSnapshot>
    </QueryClientProvider>
  );
}
