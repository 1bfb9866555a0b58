'use client';
import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** Whether this part answers to people: false on the server and for the first render in the browser, then true. A hook. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
