'use client';
import { useEffect, useRef } from 'react';

/** What was pressed to go to the past or back is gone with its board, and the focus with it: it goes to the content. */
export function useFocusKept(isPast: boolean): void {
  const was = useRef(isPast);
  useEffect(() => {
    if (was.current === isPast) return;
    was.current = isPast;
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body)
      document.getElementById('content')?.focus({ preventScroll: true });
  }, [isPast]);
}
