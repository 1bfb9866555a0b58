'use client';
import { useSyncExternalStore } from 'react';

interface Media {
  readonly subscribe: (changed: () => void) => () => void;
  readonly matches: () => boolean;
}

function mediaOf(query: string): Media {
  return {
    subscribe: (changed) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    matches: () => window.matchMedia(query).matches,
  };
}

const narrow = mediaOf('(width < 48rem)');
const broad = mediaOf('(width >= 80rem)');

/** Below this width, the styles' `md`, a table is a list of cards. True for hydration, since the server cannot know. */
export const useNarrow = (): boolean => useSyncExternalStore(narrow.subscribe, narrow.matches, () => true);

/** True from the width (the styles' `xl`) at which a table has all its columns. False for hydration. */
export const useBroad = (): boolean => useSyncExternalStore(broad.subscribe, broad.matches, () => false);
