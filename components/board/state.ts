'use client';
import { useMemo } from 'react';
import { useAddress } from '@/components/dom/address';
import { useHydrated } from '@/components/dom/hydrated';
import { type AddressQuery, parameters, queryOf } from '@/lib/view/board/parameters';
import type { BoardQuery } from '@/lib/view/board/query';

/** The board's query in the address, so that a link shows the sender's view. */
export function useBoardQuery(
  initial: AddressQuery,
): [BoardQuery, (change: { [K in keyof BoardQuery]?: BoardQuery[K] | null }) => void] {
  const [query, change] = useAddress(parameters);
  const hydrated = useHydrated();
  const first = useMemo(() => queryOf(initial), [initial]);
  // Input during hydration is already in `query`, but not in the HTML.
  return [hydrated ? query : first, change];
}
