'use client';
/**
 * Dialogs and menus, whose code loads just before the first use, or in idle moments, so that they open even while
 * Signalbox is away.
 */
import { type ComponentType, useEffect, useSyncExternalStore } from 'react';
import { chooseLanguage } from '@/lib/i18n/language';
import { allWords } from '@/lib/i18n/words';

export interface LazyPart<P> {
  /**
   * Loads the part. False on failure, and the next call tries again. Also false after `limitMs`, because a dialog must
   * not open minutes after the press. Never rejects.
   */
  readonly load: () => Promise<boolean>;
  /** The component, `null` until it is loaded. A hook. */
  readonly usePart: () => ComponentType<P> | null;
}

const limitMs = 15_000;

const parts = new Set<() => Promise<unknown>>();

/** Loads something else with the parts, in idle moments. It must not reject. */
export function whenIdle(fetch: () => Promise<unknown>): void {
  parts.add(fetch);
}

/** A request may hang, and a second one for the same file would wait for it. */
function within(loading: Promise<boolean>): Promise<boolean> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => resolve(false), limitMs);
    void loading.then((loaded) => {
      clearTimeout(limit);
      resolve(loaded);
    });
  });
}

/** Declares a part, at the top of a module. */
export function lazyPart<P>(fetch: () => Promise<ComponentType<P>>): LazyPart<P> {
  let part: ComponentType<P> | null = null;
  let loading: Promise<boolean> | null = null;
  const listeners = new Set<() => void>();
  const load = () => {
    // Loads all words too. A part that waited for them would take the page away.
    loading ??= Promise.all([
      fetch(),
      allWords.fetch(chooseLanguage(undefined, document.documentElement.lang)),
    ]).then(
      ([come]) => {
        part = come;
        for (const listener of listeners) listener();
        return true;
      },
      () => {
        loading = null;
        return false;
      },
    );
    return within(loading);
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

/** Loads all parts, one in each idle moment, once `on` is true. */
export function useIdleLoading(on: boolean): void {
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
