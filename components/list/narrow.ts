'use client';
import { useSyncExternalStore } from 'react';

/** Below this width, the styles' `md`, a table is a list of cards. */
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
