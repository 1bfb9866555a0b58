'use client';
import { useEffect } from 'react';

const mark = /^▲ \d+ · /;

/**
 * Puts how many need a human before the title of the tab, so that it is seen from another one. The title itself is
 * written by the pages and by the router, whenever they like, so this follows it.
 */
export function TabTitle({ needs }: { needs: number }) {
  useEffect(() => {
    const write = () => {
      const bare = document.title.replace(mark, '');
      const wanted = needs === 0 ? bare : `▲ ${needs} · ${bare}`;
      if (document.title !== wanted) document.title = wanted;
    };
    write();
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [needs]);
  return null;
}
