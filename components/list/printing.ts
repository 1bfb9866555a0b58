'use client';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Most rows of a list on paper, some thirty sheets. The list gives the number of the others. */
export const printedMax = 1_000;

/** True while the page is printed. Lists that draw only the rows near the window must then draw all. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    // The browser lays out the sheets as soon as the event is over.
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}
