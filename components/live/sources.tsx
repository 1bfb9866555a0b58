'use client';
/**
 * The sources of a page. With one, nothing on screen names it. With several, each row goes by the state of its own
 * source, and a page that is about all of them by the freshest.
 */
import { createContext, use, useCallback } from 'react';
import { useSnapshotPart } from '@/lib/client/page-data';
import { firstSource, type SourceId } from '@/lib/domain/source';
import { freshestOf, partOf, type SourceState } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';

const none: readonly SourceState[] = [];
const selectParts = ({ source }: Snapshot) => source.parts ?? none;

/** The state of each source; none where there is only one. */
export function useSources(): readonly SourceState[] {
  const parts = useSnapshotPart(selectParts);
  return parts.length > 1 ? parts : none;
}

/** The title of a source by its id; `null` for the only source, or for one that is not configured. */
export function useSourceTitle(): (source: SourceId) => string | null {
  const sources = useSources();
  return useCallback((source) => sources.find(({ id }) => id === source)?.title ?? null, [sources]);
}

/** True for a source of this console. An address may name any source. */
export const useIsConfigured = (source: SourceId): boolean =>
  useSnapshotPart(useCallback((snapshot: Snapshot) => partOf(snapshot.source, source) !== null, [source]));

/** A source as its rows show it. */
export interface ShownSource {
  readonly id: SourceId;
  readonly title: string;
  /** The rows of this source are old, and those of another one are not. */
  readonly isGrey: boolean;
  /** The instant at which an old source was last good; `null` for a live one, and where nothing was read. */
  readonly goodMs: number | null;
}

/** Provided by `SourcesRoot`; none where there is only one. */
export const ShownSources = createContext<readonly ShownSource[]>([]);

/** The sources of the page's content; none where there is only one. */
export const useShownSources = (): readonly ShownSource[] => use(ShownSources);

/** `null` where there is only one source. One that is not configured goes by its id. */
export function useShownSource(source: SourceId): ShownSource | null {
  const shown = use(ShownSources);
  if (shown.length === 0) return null;
  return shown.find(({ id }) => id === source) ?? { id: source, title: source, isGrey: false, goodMs: null };
}

/** The source that a page is about; `null`: all of them. */
const PageSource = createContext<SourceId | null>(null);

export function OfSource({ source, children }: { source: SourceId; children: React.ReactNode }) {
  return <PageSource value={source}>{children}</PageSource>;
}

/** True when the page is about all sources. */
export const useIsOfAll = (): boolean => use(PageSource) === null;

/** The source of the page, or of a row that has one of its own. */
export const usePageSource = (): SourceId => use(PageSource) ?? firstSource;

/** The state to go by: of the page's source, or the freshest of all. */
export function stateOf(state: SourceState, of: SourceId | null): SourceState {
  return (of === null ? null : partOf(state, of)) ?? freshestOf(state);
}

/** `of`: a source other than the page's. */
export function useSourceState(of?: SourceId): SourceState {
  const here = use(PageSource);
  const source = of ?? here;
  return useSnapshotPart(useCallback((snapshot: Snapshot) => stateOf(snapshot.source, source), [source]));
}
