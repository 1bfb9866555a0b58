'use client';
/**
 * A page's knowledge while only the first part of the world is here: from the document until the stream brings
 * the rest.
 */
import { createContext, use, useCallback } from 'react';
import { InitialSnapshot, useSnapshotPart } from '@/lib/client/page-data';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Ahead } from '@/lib/view/board/opening';

/** The document's part. Provided by `LiveRoot`. */
export const AheadContext = createContext<Ahead | null>(null);

/** `null` once the whole world is here: from then on, an absent row is really absent. */
export function useAhead(): Ahead | null {
  const ahead = use(AheadContext);
  const initial = use(InitialSnapshot);
  const select = useCallback(
    (snapshot: Snapshot) => (ahead !== null && (ahead.large !== null || snapshot === initial) ? ahead : null),
    [ahead, initial],
  );
  return useSnapshotPart(select);
}
