'use client';
import { useMemo } from 'react';
import { useAddress } from '@/components/dom/address';
import { useHydrated } from '@/components/dom/hydrated';
import { type AddressQuery, parameters, queryOf } from '@/lib/view/board/parameters';
import type { BoardQuery } from '@/lib/view/board/query';

/** The board's query, kept in the address so that a link shows what its sender saw; and how to change it. */
export function useBoardQuery(
  asked: AddressQuery,
): [BoardQuery, (change: { [K in keyof BoardQuery]?: BoardQuery[K] | null }) => void] {
  const [query, change] = useAddress(parameters);
  const hydrated = useHydrated();
  const first = useMemo(() => queryOf(asked), [asked]);
  // What was typed while the page was still hydrating is already in `query`, but not in the HTML to be hydrated.
  return [hydrated ? query : first, change];
}
