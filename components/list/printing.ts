'use client';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** The most rows of a list on paper, some thirty sheets; the list says how many more there are. */
export const printedMax = 1_000;

/** True while the page is printed: what is drawn for the window alone has to be drawn as a whole by then. */
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
