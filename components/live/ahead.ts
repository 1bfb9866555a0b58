'use client';
/** What a page knows of the world while only the first part of it is here: from the document until the stream has brought the rest. */
import { createContext, use, useCallback } from 'react';
import { InitialSnapshot, useSnapshotPart } from '@/lib/client/shown';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Ahead } from '@/lib/view/board/opening';

/** What came with the document. Provided by `LiveRoot`. */
export const AheadContext = createContext<Ahead | null>(null);

/** `null` as soon as the whole world is here: everything that looks for something in it may then trust what it does not find. */
export function useAhead(): Ahead | null {
  const ahead = use(AheadContext);
  const initial = use(InitialSnapshot);
  const select = useCallback(
    (snapshot: Snapshot) => (ahead !== null && (ahead.large !== null || snapshot === initial) ? ahead : null),
    [ahead, initial],
  );
  return useSnapshotPart(select);
}
