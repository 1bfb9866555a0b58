'use client';
import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** True when this part is interactive: not on the server and for the first render in the browser. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
