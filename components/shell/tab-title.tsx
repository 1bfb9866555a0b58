'use client';
import { useEffect } from 'react';
import { tabIcon } from './tab-icon';

/** A browser trims the end of a title, so a mark before an empty title has no blank. */
const mark = /^(?:◌ [^·]+ ·\s*)?(?:▲ \d+ ·\s*)?/;

interface TabTitleProps {
  readonly needs: number;
  readonly urgent: number;
  /** A word while the data is old; `null` while it is not. */
  readonly stale: string | null;
}

/**
 * Puts the number of needs before the tab's title and on its icon, and a word before it while the data is old. Pages
 * and the router write both at any time, so this observes them.
 */
export function TabTitle({ needs, urgent, stale }: TabTitleProps) {
  useEffect(() => {
    const write = () => {
      const bare = document.title.replace(mark, '');
      const marks = `${stale === null ? '' : `◌ ${stale} · `}${needs === 0 ? '' : `▲ ${needs} · `}`;
      // Empty between two pages: the next title comes at once.
      const wanted = bare === '' ? bare : `${marks}${bare}`;
      if (document.title !== wanted) document.title = wanted;
      const address = tabIcon({ needs, urgent, isOld: stale !== null });
      // React adds its own again when it does not find it by its address.
      for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')) {
        icon.dataset.plain ??= icon.getAttribute('href') ?? '';
        const wanted = address ?? icon.dataset.plain;
        if (icon.getAttribute('href') !== wanted) icon.setAttribute('href', wanted);
      }
    };
    write();
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [needs, urgent, stale]);
  return null;
}
