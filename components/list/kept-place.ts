'use client';
/**
 * Where somebody is in a long list, for when its page comes again: it is loaded anew, or gone back to. A browser keeps pixels, and
 * they lead elsewhere: a list comes again with rows whose heights are guessed, and a large one with the first of its rows only.
 * Kept is the row that is on top of the window, and how far down it is. It is kept by a number made from its id, and not by its name.
 *
 *   the page comes --a place is kept for it--> held, against what the browser thinks --it rests, or somebody moves--> left alone
 *
 * Where a browser does not tell which visit of a page this is (the Navigation API), it is left to the browser.
 */
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { type Place, places, visit } from '@/components/dom/visits';
import type { Places } from './places';

/** After that the browser has gone where it wanted to, too. */
const settlesAfterMs = 500;
/** A list that is still the one of another search, or has become shorter, does not reach there; so long it is waited for. */
const reachedWithinMs = 3_000;

/** A number of 32 bits (FNV-1a). */
function markOf(id: string | number): number {
  const text = String(id);
  let mark = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) mark = Math.imul(mark ^ text.charCodeAt(i), 0x01000193);
  return mark >>> 0;
}

/** What moves a page beside signs that are typed, which the console heeds: other keys leave it where it is, as those that load it anew. */
const movingKeys = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', 'Tab', 'Enter']);

function moves({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return movingKeys.has(key) || (key.length === 1 && !ctrlKey && !metaKey && !altKey);
}

interface KeptProps {
  readonly places: Places;
  readonly count: number;
  readonly keyOf: (index: number) => string | number;
  /** Where the list begins in the document, in pixels; 0 until that is known. */
  readonly margin: number;
  /** False while only the first rows are here. */
  readonly whole: boolean;
  /** Changes when rows were measured. */
  readonly measured: number;
  /** Draws what is seen now, from the top of the window. */
  readonly draw: () => void;
}

/** Goes to where somebody was in this list, and notes where they are from then on. */
export function useKeptPlace(props: KeptProps): void {
  const latest = useRef(props);
  /** Where the list is. The address is that of the next page already while this one still stands. */
  const path = useRef<string>(undefined);
  const held = useRef<Place | null>(null);
  /** The visit for which was looked whether there is one. A list that is searched in has several. */
  const looked = useRef<string | null>(null);
  const settles = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** It was reached. */
  const settling = useRef(false);
  /** Keeps, or goes where it was. */
  const follow = useCallback(() => {
    path.current ??= window.location.pathname;
    if (window.location.pathname !== path.current) return;
    const { places: rows, count, keyOf, margin, whole } = latest.current;
    const page = visit();
    if (page === null || margin === 0 || count === 0) return;
    if (looked.current !== page) {
      looked.current = page;
      held.current = places().get(page) ?? null;
      clearTimeout(settles.current);
      settles.current = undefined;
      settling.current = false;
    }
    const place = held.current;
    if (place === null) {
      const index = rows.at(window.scrollY - margin);
      // Written last, it is forgotten last.
      places().delete(page);
      if (window.scrollY > 0)
        places().set(page, {
          mark: markOf(keyOf(index)),
          index,
          belowPx: rows.start(index) + margin - window.scrollY,
        });
      return;
    }
    if (!whole) return;
    let index = 0;
    while (index < count && markOf(keyOf(index)) !== place.mark) index += 1;
    const top = rows.start(index < count ? index : place.index) + margin - place.belowPx;
    if (Math.abs(top - window.scrollY) >= 1) {
      window.scrollTo(0, top);
      latest.current.draw();
    }
    if (document.readyState !== 'complete') return;
    const letGoAfter = (ms: number) =>
      setTimeout(() => {
        held.current = null;
      }, ms);
    const reached = index < count && Math.abs(top - window.scrollY) < 1;
    if (reached && !settling.current) {
      settling.current = true;
      clearTimeout(settles.current);
      settles.current = letGoAfter(settlesAfterMs);
    } else settles.current ??= letGoAfter(reachedWithinMs);
  }, []);
  const { keyOf, count, margin, whole, measured } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are what it is done for.
  useLayoutEffect(() => {
    latest.current = props;
    follow();
  }, [follow, keyOf, count, margin, whole, measured]);
  useLayoutEffect(() => {
    const end = () => {
      held.current = null;
      looked.current = visit();
    };
    const onKey = (event: Event) => {
      // What fills a form in for somebody says that a key was pressed, and not which.
      if (event instanceof KeyboardEvent && moves(event)) end();
    };
    const ends = ['wheel', 'touchmove', 'pointerdown'] as const;
    window.addEventListener('scroll', follow, { passive: true });
    window.addEventListener('load', follow);
    for (const kind of ends) window.addEventListener(kind, end, { capture: true, passive: true });
    window.addEventListener('keydown', onKey, { capture: true });
    return () => {
      window.removeEventListener('scroll', follow);
      window.removeEventListener('load', follow);
      for (const kind of ends) window.removeEventListener(kind, end, { capture: true });
      window.removeEventListener('keydown', onKey, { capture: true });
    };
  }, [follow]);
  useEffect(
    () => () => {
      clearTimeout(settles.current);
      // Where effects run twice, the second time begins anew.
      settles.current = undefined;
      settling.current = false;
    },
    [],
  );
}
