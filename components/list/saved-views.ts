'use client';
/**
 * Views saved in this browser: a name and a link into this console. Broken parts of the stored text are left out, never
 * thrown.
 */
import { useSyncExternalStore } from 'react';
import { viewPath } from '@/components/dom/page-link';
import { storedText } from '@/components/dom/stored';

export interface SavedView {
  readonly name: string;
  readonly path: string;
}

const storage = storedText('views');
/** A longer menu would be unreadable. */
const viewsMax = 50;
const nameMax = 80;

/** Checked by hand: our schema parser would be a tenth of the page's first load. */
function isView(one: unknown): one is SavedView {
  if (typeof one !== 'object' || one === null) return false;
  const { name, path } = one as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === 'string' && typeof path === 'string';
}

/** `//other.example` and `/\other.example` are addresses of other hosts. */
const isOwn = (path: string) => /^\/(?![/\\])/.test(path);

/**
 * A link that stays on this console, with only the parameters that the console reads; `null` for anything else.
 */
export function ownPath(path: string): string | null {
  if (!isOwn(path)) return null;
  try {
    const url = new URL(path, 'http://console.invalid');
    // `/.//other.example` seems ours until its dots are removed.
    if (url.host !== 'console.invalid' || !isOwn(url.pathname)) return null;
    const params = new URLSearchParams(url.search);
    // A view is a way to look, not a moment.
    params.delete('frozen');
    params.delete('at');
    return viewPath({ pathname: url.pathname, search: params.toString() });
  } catch {
    return null;
  }
}

/** The views in a stored text, without the broken ones. */
export function readViews(stored: string | null): readonly SavedView[] {
  if (stored === null) return [];
  try {
    const list: unknown = JSON.parse(stored);
    if (!Array.isArray(list)) return [];
    const views = new Map<string, SavedView>();
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

/** The list with this view; replaces one of the same name. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const name = view.name.trim().slice(0, nameMax);
  const path = ownPath(view.path);
  if (name === '' || path === null) return views;
  return [...views.filter((one) => one.name !== name), { name, path }].slice(-viewsMax);
}

const none: readonly SavedView[] = [];
let read: { readonly stored: string | null; readonly views: readonly SavedView[] } = {
  stored: null,
  views: none,
};

function current(): readonly SavedView[] {
  const stored = storage.read();
  if (stored !== read.stored) read = { stored, views: readViews(stored) };
  return read.views;
}

/** The views of this browser, the same in every tab. */
export function useViews(): readonly SavedView[] {
  return useSyncExternalStore(storage.subscribe, current, () => none);
}

const store = (views: readonly SavedView[]) => storage.write(JSON.stringify(views));

/** Saves a view; false when the browser refuses to store it. */
export function saveView(view: SavedView): boolean {
  return store(withView(current(), view));
}

export function removeView(name: string): void {
  store(current().filter((view) => view.name !== name));
}
