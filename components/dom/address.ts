'use client';
/**
 * A page's view stands in its address, so that a link shows what its sender saw. A change counts at once for all
 * its readers. The address follows when typing rests, or at a press that may lead away: each write makes the
 * router render.
 *
 * The first change of a visit begins a history entry, and further changes go into it: back undoes a search as a whole.
 */
import { createParser, debounce, throttle, useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import type { Parameter } from '@/lib/view/url-parameter';

const rests = debounce(200);
const now = throttle(0);

/** Marks, in its state, a history entry that was made for a change. */
const ownEntry = 'signalboxSaid';
/** The keys of such entries, where the browser provides them: each write of the address drops our mark. */
const ownKeys = new Set<string>();

/** `undefined` where the browser does not provide it. */
const entryKey = (): string | undefined => (window.navigation as Navigation | undefined)?.currentEntry?.key;

/**
 * Makes a history entry for the changes, unless this is one. At once, not with the write: a list that gets shorter
 * moves the scroll. Past the library's own `pushState`, which drops all waiting changes.
 */
function visit(): void {
  if (window.history.state?.[ownEntry] === true || ownKeys.has(entryKey() ?? '')) return;
  History.prototype.pushState.call(window.history, { ...window.history.state, [ownEntry]: true }, '');
  const key = entryKey();
  if (key !== undefined) ownKeys.add(key);
}

type Parameters = Readonly<
  Record<string, Pick<Parameter<unknown>, 'read'> & Pick<Parameter<never>, 'write'>>
>;
type Values<P extends Parameters> = { readonly [K in keyof P]: ReturnType<P[K]['read']> };
type Changes<P extends Parameters> = { readonly [K in keyof P]?: ReturnType<P[K]['read']> | null };

function parserOf({ read, write }: Parameters[string]) {
  const text = (value: unknown) => write(value as never);
  const parser = createParser({
    parse: read,
    serialize: (value) => text(value) ?? '',
    eq: (a, b) => text(a) === text(b),
  });
  return { ...parser, defaultValue: read(null) };
}

/**
 * The values of some parameters of this page's address, and how to change them; `null` removes one.
 * `parameters` must be the same object in each render.
 */
export function useAddress<P extends Parameters>(parameters: P): [Values<P>, (changes: Changes<P>) => void] {
  const parsers = useMemo(
    () => Object.fromEntries(Object.entries(parameters).map(([name, one]) => [name, parserOf(one)])),
    [parameters],
  );
  const [values, set] = useQueryStates(parsers, { limitUrlUpdates: rests });
  const change = useCallback(
    (changes: Changes<P>) => {
      visit();
      const leave = new AbortController();
      const write = (event: Event) => {
        if (event instanceof KeyboardEvent && event.key !== 'Enter') return;
        void set((current) => current, { limitUrlUpdates: now });
      };
      for (const kind of ['pointerdown', 'keydown'])
        document.addEventListener(kind, write, { capture: true, signal: leave.signal });
      void set(changes as Record<string, unknown>).finally(() => leave.abort());
    },
    [set],
  );
  return [values as Values<P>, change];
}
