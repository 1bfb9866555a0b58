'use client';
/**
 * Restores the place in a long list after a reload or a step back. A browser keeps pixels, but row heights are guesses
 * at first, and a large list begins with its first rows only. So this keeps the top row, as a hash of its id, and its
 * offset.
 *
 *   the page comes --a place is kept for it--> held, against the browser's own scroll --it rests, or the person moves--> left alone
 *
 * Without the Navigation API the visit is unknown, and the browser decides.
 */
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { places, type ScrollPlace, visit } from '@/components/dom/visits';
import type { Places } from './places';

/** After this time the browser has done its own scrolling, too. */
const settlesAfterMs = 500;
/** Longest wait for a list that is too short, or still shows another search. */
const reachedWithinMs = 3_000;

/** A number of 32 bits (FNV-1a). */
function markOf(id: string | number): number {
  const text = String(id);
  let mark = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) mark = Math.imul(mark ^ text.charCodeAt(i), 0x01000193);
  return mark >>> 0;
}

/** Other keys, such as those of a reload, move nothing. */
const movingKeys = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', 'Tab', 'Enter']);

function moves({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return movingKeys.has(key) || (key.length === 1 && !ctrlKey && !metaKey && !altKey);
}

interface KeptProps {
  readonly places: Places;
  readonly count: number;
  readonly keyOf: (index: number) => string | number;
  /** The distance of the list from the top of the document, in pixels; 0 until known. */
  readonly margin: number;
  /** False while only the first rows are here. */
  readonly whole: boolean;
  /** Changes when rows were measured. */
  readonly measured: number;
  /** Draws the visible rows, from the top of the window. */
  readonly draw: () => void;
}

/** Restores the place in this list, then keeps it up to date. */
export function useKeptPlace(props: KeptProps): void {
  const latest = useRef(props);
  /** The address may already be the next page's. */
  const path = useRef<string>(undefined);
  const restoring = useRef<ScrollPlace | null>(null);
  /** The visit whose place was looked up. A list with a search has several visits. */
  const looked = useRef<string | null>(null);
  const settles = useRef<ReturnType<typeof setTimeout>>(undefined);
  const settling = useRef(false);
  const follow = useCallback(() => {
    path.current ??= window.location.pathname;
    if (window.location.pathname !== path.current) return;
    const { places: rows, count, keyOf, margin, whole } = latest.current;
    const page = visit();
    if (page === null || margin === 0 || count === 0) return;
    if (looked.current !== page) {
      looked.current = page;
      restoring.current = places().get(page) ?? null;
      clearTimeout(settles.current);
      settles.current = undefined;
      settling.current = false;
    }
    const place = restoring.current;
    if (place === null) {
      const index = rows.at(window.scrollY - margin);
      // The last written is the last forgotten.
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
        restoring.current = null;
      }, ms);
    const reached = index < count && Math.abs(top - window.scrollY) < 1;
    if (reached && !settling.current) {
      settling.current = true;
      clearTimeout(settles.current);
      settles.current = letGoAfter(settlesAfterMs);
    } else settles.current ??= letGoAfter(reachedWithinMs);
  }, []);
  const { keyOf, count, margin, whole, measured } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs for these.
  useLayoutEffect(() => {
    latest.current = props;
    follow();
  }, [follow, keyOf, count, margin, whole, measured]);
  useLayoutEffect(() => {
    const end = () => {
      restoring.current = null;
      looked.current = visit();
    };
    const onKey = (event: Event) => {
      // Autofill sends a keydown without a key.
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
      // The second run must start clean where effects run twice.
      settles.current = undefined;
      settling.current = false;
    },
    [],
  );
}
