'use client';
/**
 * Parts whose code comes after the page: dialogs and menus, which most visits never open. They come when somebody is
 * about to open one, and else in idle moments, so that who first opens it while Signalbox is away still can.
 */
import { type ComponentType, useEffect, useSyncExternalStore } from 'react';
import { fetchAllThatIsRead } from '@/lib/words/at-hand';

export interface Later<P> {
  /** Fetches it, once; false when it does not come, and the next call tries again. Never rejects. */
  readonly load: () => Promise<boolean>;
  /** The component, `null` until it is there. A hook. */
  readonly usePart: () => ComponentType<P> | null;
}

const parts = new Set<() => Promise<unknown>>();

/** Has something else fetched with the parts, in idle moments. It must not reject. */
export function alsoLater(fetch: () => Promise<unknown>): void {
  parts.add(fetch);
}

/** Declares a part, at the top of a module. */
export function later<P>(fetch: () => Promise<ComponentType<P>>): Later<P> {
  let part: ComponentType<P> | null = null;
  let coming: Promise<boolean> | null = null;
  const listeners = new Set<() => void>();
  const load = () => {
    // A part says what the page around it does not: it comes with its words, so that nothing waits once it is there.
    coming ??= Promise.all([fetch(), fetchAllThatIsRead()]).then(
      ([come]) => {
        part = come;
        for (const listener of listeners) listener();
        return true;
      },
      () => {
        coming = null;
        return false;
      },
    );
    return coming;
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  parts.add(load);
  return {
    load,
    usePart: () =>
      useSyncExternalStore(
        subscribe,
        () => part,
        () => null,
      ),
  };
}

/** Fetches all parts, one in each idle moment, from when `on` is true. */
export function useLaterParts(on: boolean): void {
  useEffect(() => {
    if (!on || typeof requestIdleCallback === 'undefined') return;
    const waiting = [...parts];
    let next = requestIdleCallback(step);
    let ended = false;
    function step() {
      const load = waiting.shift();
      if (load === undefined) return;
      void load().then(() => {
        if (!ended) next = requestIdleCallback(step);
      });
    }
    return () => {
      ended = true;
      cancelIdleCallback(next);
    };
  }, [on]);
}
