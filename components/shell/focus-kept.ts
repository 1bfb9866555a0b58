'use client';
import { useEffect, useRef } from 'react';

/**
 * Moves the focus to the content after a step to the past or back. The pressed button is gone with its board, and the
 * focus with it.
 */
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
