'use client';
import { useMemo } from 'react';
import { freshnessOf, isOld } from '@/lib/client/freshness';
import { useConnection } from '@/lib/client/page-data';
import { lastGoodMs } from './freshness';
import { ShownSources, useSources } from './sources';

/** Computes the states of the sources once for the rows below, of which there may be hundreds. */
export function SourcesRoot({ children }: { children: React.ReactNode }) {
  const sources = useSources();
  const connection = useConnection();
  const shown = useMemo(() => {
    const isOldOf = (state: (typeof sources)[number]['state']) => isOld(freshnessOf(connection.state, state));
    // The page itself is grey when all are old.
    const isBeside = sources.some(({ state }) => !isOldOf(state));
    return sources.map((part) => {
      const old = isOldOf(part.state);
      return {
        id: part.id,
        title: part.title,
        isGrey: old && isBeside,
        goodMs: old ? lastGoodMs(connection, part) : null,
      };
    });
  }, [sources, connection]);
  return <ShownSources value={shown}>{children}</ShownSources>;
}
