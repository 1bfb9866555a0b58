'use client';
/**
 * Views that somebody saved in this browser. A view is a name and a link into this console, nothing else. What is
 * stored may be rubbish (another version, a hand, a full disk): what cannot be read is left out, never thrown.
 */
import { useSyncExternalStore } from 'react';
import { viewPath } from '@/components/dom/page-link';
import { storedText } from '@/components/dom/stored';

export interface View {
  readonly name: string;
  /** A path and query of this console. */
  readonly path: string;
}

const kept = storedText('views');
/** More would make a menu that nobody reads. */
const viewsMax = 50;
const nameMax = 80;

/** By hand: the parser that we use elsewhere would be a tenth of what the page loads first. */
function isView(one: unknown): one is View {
  if (typeof one !== 'object' || one === null) return false;
  const { name, path } = one as Partial<Record<keyof View, unknown>>;
  return typeof name === 'string' && typeof path === 'string';
}

/** `//other.example` and `/\other.example` are addresses of other hosts. */
const isOwn = (path: string) => /^\/(?![/\\])/.test(path);

/** A link that stays on this console, with only what the console reads; `null` for anything else. */
export function ownPath(path: string): string | null {
  if (!isOwn(path)) return null;
  try {
    const url = new URL(path, 'http://console.invalid');
    // `/.//other.example` is one of ours only until its dots are taken away.
    if (url.host !== 'console.invalid' || !isOwn(url.pathname)) return null;
    const asked = new URLSearchParams(url.search);
    // A view is a way to look, not a moment.
    asked.delete('frozen');
    return viewPath({ pathname: url.pathname, search: asked.toString() });
  } catch {
    return null;
  }
}

/** The views in a stored text; those that make no sense are left out. */
export function readViews(stored: string | null): readonly View[] {
  if (stored === null) return [];
  try {
    const list: unknown = JSON.parse(stored);
    if (!Array.isArray(list)) return [];
    const views = new Map<string, View>();
    for (const one of list) {
      if (!isView(one)) continue;
      const name = one.name.trim().slice(0, nameMax);
      const path = ownPath(one.path);
      if (name !== '' && path !== null && views.size < viewsMax) views.set(name, { name, path });
    }
    return [...views.values()];
  } catch {
    return [];
  }
}

/** The list with this view in it; one of the same name is replaced. */
export function withView(views: readonly View[], view: View): readonly View[] {
  const name = view.name.trim().slice(0, nameMax);
  const path = ownPath(view.path);
  if (name === '' || path === null) return views;
  return [...views.filter((one) => one.name !== name), { name, path }].slice(-viewsMax);
}

const none: readonly View[] = [];
let read: { readonly stored: string | null; readonly views: readonly View[] } = { stored: null, views: none };

function current(): readonly View[] {
  const stored = kept.read();
  if (stored !== read.stored) read = { stored, views: readViews(stored) };
  return read.views;
}

/** The views of this browser, in every tab the same. */
export function useViews(): readonly View[] {
  return useSyncExternalStore(kept.subscribe, current, () => none);
}

const store = (views: readonly View[]) => kept.write(JSON.stringify(views));

/** Saves a view; false when the browser refuses to store it. */
export function saveView(view: View): boolean {
  return store(withView(current(), view));
}

export function removeView(name: string): void {
  store(current().filter((view) => view.name !== name));
}
