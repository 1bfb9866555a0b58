'use client';
import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import { useHydrated } from '@/components/hydrated';
import { type Asked, parsers, queryOf } from './asked';
import type { BoardQuery } from './query';

/** The board's query, kept in the address so that a link shows what its sender saw; and how to change it. */
export function useBoardQuery(
  asked: Asked,
): [BoardQuery, (change: { [K in keyof BoardQuery]?: BoardQuery[K] | null }) => void] {
  const [query, set] = useQueryStates(parsers, { history: 'replace', clearOnDefault: true });
  const hydrated = useHydrated();
  const first = useMemo(() => queryOf(asked), [asked]);
  const change = useCallback(
    (next: { [K in keyof BoardQuery]?: BoardQuery[K] | null }) => void set(next as Parameters<typeof set>[0]),
    [set],
  );
  // What was typed while the page was still hydrating is already in `query`, but not in the HTML to be hydrated.
  return [hydrated ? query : first, change];
}
