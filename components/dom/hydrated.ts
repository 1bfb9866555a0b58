'use client';
import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** Whether this part is interactive: false on the server and for the first render in the browser, then true. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
