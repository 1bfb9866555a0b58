'use client';
/** The sources of a page that shows several. With one, nothing on screen names it. */
import { useCallback } from 'react';
import { useSnapshotPart } from '@/lib/client/shown';
import type { SourceId } from '@/lib/domain/source';
import type { SourceState } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';

const none: readonly SourceState[] = [];
const selectParts = ({ source }: Snapshot) => source.parts ?? none;

/** Each source by itself; none where there is only one. */
export function useSources(): readonly SourceState[] {
  const parts = useSnapshotPart(selectParts);
  return parts.length > 1 ? parts : none;
}

/** The title of a source by its id; `null` where there is only one, or for one that is not configured. */
export function useSourceTitle(): (source: SourceId) => string | null {
  const sources = useSources();
  return useCallback((source) => sources.find(({ id }) => id === source)?.title ?? null, [sources]);
}
