'use client';
import { useEffect } from 'react';

/** A browser trims the end of a title, so a mark before an empty title has no blank. */
const mark = /^(?:◌ [^·]+ ·\s*)?(?:▲ \d+ ·\s*)?/;

/**
 * Puts the number of needs before the tab's title, visible from other tabs, and before it a word while the data
 * is old (`stale`; `null` while it is not). Pages and the router write the title at any time, so this observes
 * it.
 */
export function TabTitle({ needs, stale }: { needs: number; stale: string | null }) {
  useEffect(() => {
    const write = () => {
      const bare = document.title.replace(mark, '');
      const marks = `${stale === null ? '' : `◌ ${stale} · `}${needs === 0 ? '' : `▲ ${needs} · `}`;
      // Empty between two pages: the next title comes at once.
      const wanted = bare === '' ? bare : `${marks}${bare}`;
      if (document.title !== wanted) document.title = wanted;
    };
    write();
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [needs, stale]);
  return null;
}
