'use client';
import { useEffect } from 'react';

/** A browser takes the blank off the end of a title, so a mark before nothing has none. */
const mark = /^▲ \d+ ·\s*/;

/**
 * Puts how many need a human before the title of the tab, so that it is seen from another one. The title itself is
 * written by the pages and by the router, whenever they like, so this follows it.
 */
export function TabTitle({ needs }: { needs: number }) {
  useEffect(() => {
    const write = () => {
      const bare = document.title.replace(mark, '');
      // Empty between two pages: the next title comes at once.
      const wanted = needs === 0 || bare === '' ? bare : `▲ ${needs} · ${bare}`;
      if (document.title !== wanted) document.title = wanted;
    };
    write();
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [needs]);
  return null;
}
