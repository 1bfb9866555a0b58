'use client';
import { useSyncExternalStore } from 'react';

/** Below this a table is drawn as a list of cards: the breakpoint `md` of the styles. */
const query = '(width < 48rem)';

function subscribe(changed: () => void): () => void {
  const media = window.matchMedia(query);
  media.addEventListener('change', changed);
  return () => media.removeEventListener('change', changed);
}

/** True where tables are cards, and for hydration, since the server cannot know. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => true,
  );
}
