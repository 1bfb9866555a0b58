'use client';
import { useEffect } from 'react';

/** A browser takes the blank off the end of a title, so a mark before nothing has none. */
const mark = /^(?:◌ [^·]+ ·\s*)?(?:▲ \d+ ·\s*)?/;

/**
 * Puts how many need attention before the title of the tab, so that it is seen from another one, and before that a word where
 * this may no longer be so (`stale`: `null` while it is). The title itself is written by the pages and by the router, whenever
 * they like, so this follows it.
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
