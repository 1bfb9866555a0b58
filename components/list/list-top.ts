'use client';
import { type RefObject, useLayoutEffect, useState } from 'react';

/**
 * How far below the top of the document a list begins, in pixels. It is measured when something above the list
 * changes its size, and never while scrolling: to measure makes the browser lay out the page at once.
 */
export function useListTop(list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const measure = () => setTop(Math.round(element.getBoundingClientRect().top + window.scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement)
      for (let above = at.previousElementSibling; above !== null; above = above.previousElementSibling)
        observer.observe(above);
    return () => observer.disconnect();
  }, [list]);
  return top;
}
