'use client';
/**
 * Parts whose code comes after the page: dialogs and menus, which most visits never open. They come when somebody is
 * about to open one, and else in idle moments, so that who first opens it while Signalbox is away still can.
 */
import { type ComponentType, useEffect, useSyncExternalStore } from 'react';

export interface Later<P> {
  /**
   * Fetches it, once; false when it does not come, and the next call tries again. Also false when it has not come for `limitMs`:
   * a dialog that opens minutes after the press is not what anybody wants then. Never rejects.
   */
  readonly load: () => Promise<boolean>;
  /** The component, `null` until it is there. A hook. */
  readonly usePart: () => ComponentType<P> | null;
}

const limitMs = 15_000;

const parts = new Set<() => Promise<unknown>>();

/** Has something else fetched with the parts, in idle moments. It must not reject. */
export function alsoLater(fetch: () => Promise<unknown>): void {
  parts.add(fetch);
}

/** A request may hang for as long as the browser lets it: a second one for the same file would wait for the first. */
function within(coming: Promise<boolean>): Promise<boolean> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => resolve(false), limitMs);
    void coming.then((come) => {
      clearTimeout(limit);
      resolve(come);
    });
  });
}

/** Declares a part, at the top of a module. */
export function later<P>(fetch: () => Promise<ComponentType<P>>): Later<P> {
  let part: ComponentType<P> | null = null;
  let coming: Promise<boolean> | null = null;
  const listeners = new Set<() => void>();
  const load = () => {
    coming ??= fetch().then(
      (come) => {
        part = come;
        for (const listener of listeners) listener();
        return true;
      },
      () => {
        coming = null;
        return false;
      },
    );
    return within(coming);
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
