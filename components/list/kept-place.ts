'use client';
/**
 * Where somebody is in a long list, for when its page comes again: it is loaded anew, or gone back to. A browser keeps pixels, and
 * they lead elsewhere: a list comes again with rows whose heights are guessed, and a large one with the first of its rows only.
 * Kept is the row that is on top of the window, and how far down it is. It is kept by a number made from its id: what a tab
 * remembers is not for whoever sits there next.
 *
 *   the page comes --a place is kept for it--> held, against what the browser thinks --it rests, or somebody moves--> left alone
 *
 * Where a browser does not tell which visit of a page this is (the Navigation API), it is left to the browser.
 */
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { Places } from './places';

interface Place {
  /** Of the id of the row. */
  readonly mark: number;
  /** Where the row was, for when it is gone. */
  readonly index: number;
  /** How far below the top of the window the row began, in pixels. */
  readonly belowPx: number;
}

const storedAs = 'signalbox places';
/** Pages of the tab that one can go back to; of more than these the oldest are forgotten. */
const keptMax = 50;
/** After that the browser has gone where it wanted to, too. */
const settlesAfterMs = 500;

let known: Map<string, Place> | null = null;

function places(): Map<string, Place> {
  if (known !== null) return known;
  known = new Map();
  try {
    const stored = JSON.parse(sessionStorage.getItem(storedAs) ?? '[]') as [string, Place][];
    known = new Map(stored);
  } catch {
    // Nothing can be kept here, or somebody else has written it: the page begins at its top.
  }
  window.addEventListener('pagehide', () => {
    try {
      sessionStorage.setItem(storedAs, JSON.stringify([...(known ?? [])].slice(-keptMax)));
    } catch {
      // As above.
    }
  });
  return known;
}

/** This visit of this page: a page that is loaded anew or gone back to is the same one. `null` where that is not told. */
function visit(): string | null {
  const { navigation } = window as {
    readonly navigation?: { readonly currentEntry: { readonly key: string } | null };
  };
  const key = navigation?.currentEntry?.key;
  return key === undefined ? null : `${key} ${window.location.pathname}`;
}

/** A number of 32 bits (FNV-1a). */
function markOf(id: string | number): number {
  const text = String(id);
  let mark = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) mark = Math.imul(mark ^ text.charCodeAt(i), 0x01000193);
  return mark >>> 0;
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
  /** `undefined`: nobody has looked whether there is one. */
  const held = useRef<Place | null | undefined>(undefined);
  const settles = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** Keeps, or goes where it was. */
  const follow = useCallback(() => {
    const { places: rows, count, keyOf, margin, whole } = latest.current;
    const page = visit();
    if (page === null || margin === 0 || count === 0) return;
    if (held.current === undefined) held.current = places().get(page) ?? null;
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
    settles.current ??= setTimeout(() => {
      held.current = null;
    }, settlesAfterMs);
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
    };
    const ends = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
    window.addEventListener('scroll', follow, { passive: true });
    window.addEventListener('load', follow);
    for (const kind of ends) window.addEventListener(kind, end, { capture: true, passive: true });
    return () => {
      window.removeEventListener('scroll', follow);
      window.removeEventListener('load', follow);
      for (const kind of ends) window.removeEventListener(kind, end, { capture: true });
    };
  }, [follow]);
  useEffect(() => () => clearTimeout(settles.current), []);
}
