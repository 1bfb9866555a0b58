'use client';
/**
 * A page's view stands in its address, so that a link shows what its sender saw.
 *
 * A change counts at once for all its readers. The address follows when typing rests, or at a press that may
 * lead away: each write makes the router render, and browsers refuse too many of them.
 *
 *   said ahead --rests--> written --the router has it--> in the address
 *
 * The first change of a visit begins a history entry, and further changes go into it: back undoes a search as a whole.
 */
import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Parameter } from '@/lib/view/url-parameter';

const restsMs = 200;
/** Marks, in its state, a history entry that was made for a change. */
const ownEntry = 'signalboxSaid';
/** The keys of such entries, where the browser provides them: a refresh of the router drops our mark. */
const ownKeys = new Set<string>();

/** Values by parameter; `null` removes it from the address. */
type Said = ReadonlyMap<string, string | null>;

interface Ahead {
  readonly path: string;
  readonly pending: Said;
  /** Written, and not yet in the router. */
  readonly written: Said;
}

const nothing: Said = new Map();
let ahead: Ahead = { path: '', pending: nothing, written: nothing };
/** Written queries that the router has not returned with. */
let underWay: readonly string[] = [];
/** The router's query at the last look. */
let given: string | null = null;
let rests: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function setAhead(next: Ahead): void {
  ahead = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Readable where that is safe: people read links, too. */
function rendered(query: URLSearchParams): string {
  const text = [...query]
    .map((pair) =>
      pair.map((part) => encodeURIComponent(part).replace(/%(2F|3A|2C|40)/g, decodeURIComponent)),
    )
    .map((pair) => pair.join('='))
    .join('&');
  return text === '' ? '' : `?${text}`;
}

export function writeAddress(): void {
  clearTimeout(rests);
  document.removeEventListener('pointerdown', writeAddress, true);
  document.removeEventListener('keydown', onKey, true);
  const { path, pending, written } = ahead;
  if (pending.size === 0) return;
  const { pathname, search, hash } = window.location;
  // The page has changed since: the last page's changes do not apply.
  if (path !== pathname) {
    setAhead({ path: pathname, pending: nothing, written: nothing });
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
  setAhead({
    path,
    pending: nothing,
    written: after === before && underWay.length === 0 ? nothing : new Map([...written, ...pending]),
  });
}

function onKey({ key }: KeyboardEvent): void {
  if (key === 'Enter') writeAddress();
}

/**
 * A step back drops the changes that the router does not have: they belong to the visit that was left. The
 * router may return with its earlier query, so nothing else would show the step.
 */
function dropAhead(): void {
  underWay = [];
  setAhead({ ...ahead, pending: nothing, written: nothing });
  writeAddress();
}

/** `undefined` where the browser does not provide it. */
const entryKey = (): string | undefined => (window.navigation as Navigation | undefined)?.currentEntry?.key;

/** Makes a history entry for the changes, unless this is one. */
function visit(): void {
  if (window.history.state?.[ownEntry] === true || ownKeys.has(entryKey() ?? '')) return;
  window.history.pushState({ [ownEntry]: true }, '');
  const key = entryKey();
  if (key !== undefined) ownKeys.add(key);
}

function queueChanges(changes: Said): void {
  const path = window.location.pathname;
  const same = ahead.path === path;
  // This comes at once, before the write, because a list that gets shorter moves the scroll. Without an address the
  // router does not render.
  visit();
  clearTimeout(rests);
  rests = setTimeout(writeAddress, restsMs);
  document.addEventListener('pointerdown', writeAddress, true);
  document.addEventListener('keydown', onKey, true);
  window.addEventListener('popstate', dropAhead);
  setAhead({
    path,
    pending: new Map([...(same ? ahead.pending : nothing), ...changes]),
    written: same ? ahead.written : nothing,
  });
}

/**
 * The router returned with this query: its changes are no longer ahead. A query that is not ours comes from
 * elsewhere, and ends them all.
 */
function settle(search: string): void {
  if (search === given) return;
  given = search;
  const at = underWay.lastIndexOf(search);
  underWay = at === -1 ? [] : underWay.slice(at + 1);
  if (ahead.written.size > 0 && underWay.length === 0) setAhead({ ...ahead, written: nothing });
}

type Parameters = Readonly<
  Record<string, Pick<Parameter<unknown>, 'read'> & Pick<Parameter<never>, 'write'>>
>;
type Values<P extends Parameters> = { readonly [K in keyof P]: ReturnType<P[K]['read']> };
type Changes<P extends Parameters> = { readonly [K in keyof P]?: ReturnType<P[K]['read']> | null };

/** This page's changes to these parameters that the router lacks, as text: an equal text causes no render. */
function aheadOf(names: readonly string[], path: string): string {
  if (ahead.path !== path) return '[]';
  const changes = new Map([...ahead.written, ...ahead.pending]);
  return JSON.stringify(names.flatMap((name) => (changes.has(name) ? [[name, changes.get(name)]] : [])));
}

/**
 * The values of some parameters of this page's address, and how to change them; `null` removes one.
 * `parameters` must be the same object in each render. Outside a router, as in component tests, it reads the
 * window's address.
 */
export function useAddress<P extends Parameters>(parameters: P): [Values<P>, (changes: Changes<P>) => void] {
  const query = useSearchParams() as ReturnType<typeof useSearchParams> | null;
  const path = (usePathname() as string | null) ?? window.location.pathname;
  const search = query === null ? window.location.search.slice(1) : query.toString();
  useEffect(() => settle(search), [search]);
  const names = useMemo(() => Object.keys(parameters), [parameters]);
  const pending = useSyncExternalStore(
    subscribe,
    useCallback(() => aheadOf(names, path), [names, path]),
    () => '[]',
  );
  const inAddress = useMemo(() => new URLSearchParams(search), [search]);
  const now = new Map(JSON.parse(pending) as [string, string | null][]);
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
      queueChanges(
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
