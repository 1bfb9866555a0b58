'use client';
/**
 * What a page shows as it stands in its address, so that a link shows what its sender saw.
 *
 * What somebody types or presses counts at once, for everything that reads it. The address is written when that rests, or
 * when something is pressed that may lead away: each write is a render of the router, and browsers refuse too many of them.
 *
 *   said ahead --rests--> written --the router has it--> in the address
 *
 * The first change of a visit begins a visit of its own, and further ones are written into that: back undoes a search as a
 * whole, and does not lead out of Signalbox.
 */
import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Parameter } from '@/lib/view/url-parameter';

const restsMs = 200;
/** In the state of an entry of the history that was made for what is said. */
const ownEntry = 'signalboxSaid';
/** The keys of such entries, where the browser tells them: a refresh of the router leaves nothing of ours in their state. */
const ownKeys = new Set<string>();

/** By parameter: `null` where it is taken out of the address. */
type Said = ReadonlyMap<string, string | null>;

interface Ahead {
  /** Of which page. */
  readonly path: string;
  /** Not written yet. */
  readonly pending: Said;
  /** Written, and not in the router's hands yet. */
  readonly written: Said;
}

const nothing: Said = new Map();
let ahead: Ahead = { path: '', pending: nothing, written: nothing };
/** Queries that were written, and that the router has not come back with. */
let underWay: readonly string[] = [];
/** The query that the router had when it was last looked at. */
let given: string | null = null;
let rests: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function become(next: Ahead): void {
  ahead = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Readable where that is safe: a link is read by people, too. */
function rendered(query: URLSearchParams): string {
  const text = [...query]
    .map((pair) =>
      pair.map((part) => encodeURIComponent(part).replace(/%(2F|3A|2C|40)/g, decodeURIComponent)),
    )
    .map((pair) => pair.join('='))
    .join('&');
  return text === '' ? '' : `?${text}`;
}

/** Writes into the address what was said since the last time. */
export function writeAddress(): void {
  clearTimeout(rests);
  document.removeEventListener('pointerdown', writeAddress, true);
  document.removeEventListener('keydown', onKey, true);
  const { path, pending, written } = ahead;
  if (pending.size === 0) return;
  const { pathname, search, hash } = window.location;
  // The page has changed since: what was said of the last one is nothing to this one.
  if (path !== pathname) {
    become({ path: pathname, pending: nothing, written: nothing });
    return;
  }
  const query = new URLSearchParams(search);
  const before = query.toString();
  for (const [name, text] of pending)
    if (text === null) query.delete(name);
    else query.set(name, text);
  const after = query.toString();
  if (after !== before) {
    underWay = [...underWay, after];
    window.history.replaceState({ [ownEntry]: true }, '', `${pathname}${rendered(query)}${hash}`);
  }
  become({
    path,
    pending: nothing,
    written: after === before && underWay.length === 0 ? nothing : new Map([...written, ...pending]),
  });
}

function onKey({ key }: KeyboardEvent): void {
  if (key === 'Enter') writeAddress();
}

/**
 * Whoever goes back takes back what is not in the router's hands: it was said of the visit that they have left. The router may
 * be back with the query that it had before, and then nothing else would tell.
 */
function drop(): void {
  underWay = [];
  become({ ...ahead, pending: nothing, written: nothing });
  writeAddress();
}

/** `undefined` where the browser does not tell it. */
const entryKey = (): string | undefined => (window.navigation as Navigation | undefined)?.currentEntry?.key;

/** Makes an entry for what is said, unless this is one. */
function visit(): void {
  if (window.history.state?.[ownEntry] === true || ownKeys.has(entryKey() ?? '')) return;
  window.history.pushState({ [ownEntry]: true }, '');
  const key = entryKey();
  if (key !== undefined) ownKeys.add(key);
}

function say(said: Said): void {
  const path = window.location.pathname;
  const same = ahead.path === path;
  // At once, and not when it is written: a list that gets shorter moves what is seen. Without an address the router draws nothing.
  visit();
  clearTimeout(rests);
  rests = setTimeout(writeAddress, restsMs);
  document.addEventListener('pointerdown', writeAddress, true);
  document.addEventListener('keydown', onKey, true);
  window.addEventListener('popstate', drop);
  become({
    path,
    pending: new Map([...(same ? ahead.pending : nothing), ...said]),
    written: same ? ahead.written : nothing,
  });
}

/** The router has come back with this query: what it says is no longer ahead of it. One that is not ours comes from elsewhere. */
function settle(search: string): void {
  if (search === given) return;
  given = search;
  const at = underWay.lastIndexOf(search);
  underWay = at === -1 ? [] : underWay.slice(at + 1);
  if (ahead.written.size > 0 && underWay.length === 0) become({ ...ahead, written: nothing });
}

/** Of some parameters, whatever is read from them. */
type Parameters = Readonly<
  Record<string, Pick<Parameter<unknown>, 'read'> & Pick<Parameter<never>, 'write'>>
>;
type Values<P extends Parameters> = { readonly [K in keyof P]: ReturnType<P[K]['read']> };
type Changes<P extends Parameters> = { readonly [K in keyof P]?: ReturnType<P[K]['read']> | null };

/** What was said of these on this page and is not in the router's hands yet, as text: the same text is no news. */
function saidOf(names: readonly string[], path: string): string {
  if (ahead.path !== path) return '[]';
  const said = new Map([...ahead.written, ...ahead.pending]);
  return JSON.stringify(names.flatMap((name) => (said.has(name) ? [[name, said.get(name)]] : [])));
}

/**
 * The values of some parameters of this page's address, and how to change them; `null` takes one out. `parameters` is the
 * same object with each render. Outside of a router, as in the tests of parts of a page, the window's address is read.
 */
export function useAddress<P extends Parameters>(parameters: P): [Values<P>, (changes: Changes<P>) => void] {
  const query = useSearchParams() as ReturnType<typeof useSearchParams> | null;
  const path = (usePathname() as string | null) ?? window.location.pathname;
  const search = query === null ? window.location.search.slice(1) : query.toString();
  useEffect(() => settle(search), [search]);
  const names = useMemo(() => Object.keys(parameters), [parameters]);
  const said = useSyncExternalStore(
    subscribe,
    useCallback(() => saidOf(names, path), [names, path]),
    () => '[]',
  );
  const inAddress = useMemo(() => new URLSearchParams(search), [search]);
  const now = new Map(JSON.parse(said) as [string, string | null][]);
  const texts = JSON.stringify(names.map((name) => (now.has(name) ? now.get(name) : inAddress.get(name))));
  const values = useMemo(() => {
    const all = JSON.parse(texts) as (string | null)[];
    return Object.fromEntries(
      names.map((name, i) => [name, parameters[name]?.read(all[i] ?? null)]),
    ) as Values<P>;
  }, [names, parameters, texts]);
  const change = useCallback(
    (changes: Changes<P>) => {
      const entries = Object.entries(changes) as [string, never][];
      say(
        new Map(
          entries.map(([name, value]) => [
            name,
            value === null ? null : (parameters[name]?.write(value) ?? null),
          ]),
        ),
      );
    },
    [parameters],
  );
  return [values, change];
}
