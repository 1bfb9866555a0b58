'use client';
/**
 * A long list as one table with only the rows near the window. A scroll renders the visible rows only; rows beyond
 * follow when it rests. Many new rows come in portions.
 */
import {
  type RefObject,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useHydrated } from '@/components/dom/hydrated';
import { useNarrow } from '@/components/dom/media';
import { useKeptPlace } from './kept-place';
import { Places } from './places';
import { printedMax, usePrinting } from './printing';
import { Portion, portionOf } from './render-portion';

/** A one-line row in pixels, as the styles have it; the first measured rows correct it. */
export const rowPx = 32;
// The server cannot know the window: as many rows as a large one shows.
const firstRange: Range = { first: 0, last: 51, from: 0 };
/** Rows beyond the window: at once, and when the scroll rests. */
const nearRows = 3;
const farRows = 12;
const restsAfterMs = 120;

/** A range with both ends included. */
interface Range {
  readonly first: number;
  readonly last: number;
  /** The first visible row. */
  readonly from: number;
}

interface WindowProps {
  readonly body: RefObject<HTMLElement | null>;
  readonly count: number;
  /** The identity of a row. A new function means other rows. */
  readonly keyOf: (index: number) => string | number;
  /** Always in the document, or its focus would be lost; -1: none. */
  readonly pinned: number;
  /** True while rows must not move: growth above the list then scrolls the page instead. */
  readonly held: boolean;
  /** False while only the first rows are here. */
  readonly whole: boolean;
}

export interface VisibleRow {
  readonly index: number;
  readonly key: string;
  readonly gap: number;
}

export interface RowWindow {
  readonly rows: readonly VisibleRow[];
  readonly after: number;
  /** The rows are drawn for paper: as many as are printed, wherever the window is. */
  readonly printing: boolean;
  readonly unprinted: number;
  readonly measure: (element: HTMLTableRowElement | null) => (() => void) | undefined;
  readonly scrollTo: (index: number) => void;
}

export function useRowWindow({ body, count, keyOf, pinned, held, whole }: WindowProps): RowWindow {
  const margin = useListTop(body);
  useAnchor(margin, held);
  const [range, setRange] = useState(firstRange);
  const [places] = useState(() => new Places(rowPx));
  // Renders again after measurements, so that the spacers fit the new heights.
  const [measured, setMeasured] = useState(0);
  places.set(count, keyOf);
  const latest = useRef({ range, count, margin });
  useLayoutEffect(() => {
    latest.current = { range, count, margin };
  });
  const narrow = useNarrow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is what it is done for.
  useLayoutEffect(() => places.turn(window.scrollY - latest.current.margin), [places, narrow]);
  const seen = useCallback(() => {
    const top = window.scrollY - latest.current.margin;
    return { first: places.at(top), last: places.at(top + window.innerHeight) };
  }, [places]);
  /** Draws these rows, and `beyond` more at each end. */
  const show = useCallback((from: number, to: number, beyond: number) => {
    const { range: now, count: all } = latest.current;
    const first = Math.max(0, from - beyond);
    const last = Math.min(all - 1, to + beyond);
    if (first !== now.first || last !== now.last) setRange({ first, last, from });
  }, []);
  const look = useCallback(() => {
    const { first, last } = seen();
    const { range: now, count: all } = latest.current;
    if (first >= now.first && Math.min(last, all - 1) <= now.last) return;
    show(first, last, nearRows);
  }, [seen, show]);
  useEffect(() => {
    let rests: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      look();
      clearTimeout(rests);
      rests = setTimeout(() => {
        const { first, last } = seen();
        startTransition(() => show(first, last, farRows));
      }, restsAfterMs);
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('resize', onScroll);
    return () => {
      clearTimeout(rests);
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', onScroll);
    };
  }, [look, seen, show]);
  const last = Math.min(range.last, count - 1);
  const first = Math.max(0, Math.min(range.first, last - (range.last - range.first)));
  const all = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  if (pinned >= 0 && pinned < first) all.unshift(pinned);
  if (pinned > last && pinned < count) all.push(pinned);
  const portion = usePortion({ indexes: all, from: range.from, pinned, keyOf });
  const printing = usePrinting();
  const printed = Math.min(count, printedMax);
  const indexes = printing ? Array.from({ length: printed }, (_, i) => i) : portion;
  useKeptPlace({
    places,
    count,
    keyOf,
    margin,
    whole,
    measured,
    draw: () => {
      const at = seen();
      show(at.first, at.last, nearRows);
    },
  });
  // Looks again after rows changed or moved, also without a scroll. It also corrects the server's guess.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs for these.
  useLayoutEffect(look, [look, keyOf, count, margin]);
  const measure = useMeasured(places, latest, () => {
    setMeasured((n) => n + 1);
    look();
  });
  let end = 0;
  const rows = indexes.map((index) => {
    const gap = places.start(index) - end;
    end = places.start(index + 1);
    return { index, key: String(keyOf(index)), gap: gap > 0.5 && !printing ? gap : 0 };
  });
  return {
    rows,
    after: printing ? 0 : places.start(count) - end,
    printing,
    unprinted: printing ? count - printed : 0,
    measure,
    scrollTo: (index) => {
      const top = places.start(index) + margin;
      const bottom = places.start(index + 1) + margin;
      if (bottom > window.scrollY + window.innerHeight) window.scrollTo(0, bottom - window.innerHeight);
      else if (top < window.scrollY) window.scrollTo(0, top);
      look();
    },
  };
}

interface PortionProps {
  readonly indexes: readonly number[];
  readonly from: number;
  readonly pinned: number;
  readonly keyOf: WindowProps['keyOf'];
}

/**
 * The rows to draw now: all that were there, and a portion of the others, one a frame. The rest follows in later
 * frames. What renders again within a frame, as a list that learns its place does, draws no further rows.
 */
function usePortion({ indexes, from, pinned, keyOf }: PortionProps): readonly number[] {
  // `null` before the browser's first rows: the server's rows are there. A list that the browser makes has none yet.
  const hydrated = useHydrated();
  const there = useRef<ReadonlySet<string | number> | null>(hydrated ? new Set() : null);
  const [portion] = useState(() => new Portion());
  const leftInFrame = useRef(portion.size);
  const mounted = useRef(false);
  const [, setMore] = useState(0);
  const isThere = (index: number) => there.current?.has(keyOf(index)) !== false;
  // After a jump nothing of the window is there, and nobody should look at an empty one.
  const begun = indexes.some((index) => index !== pinned && isThere(index));
  const size = begun ? Math.max(0, leftInFrame.current) : portion.size;
  const now = portionOf({ indexes, from, pinned, isThere }, size);
  useLayoutEffect(() => {
    const fresh = now.filter((index) => !isThere(index)).length;
    there.current = new Set(now.map(keyOf));
    // A hidden page has no frames, which would give the next portion.
    if (!document.hidden) leftInFrame.current -= fresh;
    // The layout of the first rows is done: the place of the list was asked for before.
    const first = !mounted.current;
    mounted.current = true;
    if (fresh === 0 || first) return;
    // Asking for a place forces the layout in this task rather than in the paint.
    const began = performance.now();
    document.documentElement.getBoundingClientRect();
    portion.took(fresh, performance.now() - began);
  });
  useEffect(() => {
    const next = requestAnimationFrame(() => {
      leftInFrame.current = portion.size;
      // A key in between is answered first: any other update would be drawn together with its result.
      if (now.length < indexes.length) startTransition(() => setMore((n) => n + 1));
    });
    return () => cancelAnimationFrame(next);
  });
  return now;
}

/**
 * A row above the window with another height than expected would push the text away, so the page scrolls by the
 * difference.
 */
function useMeasured(
  places: Places,
  latest: RefObject<{ readonly margin: number }>,
  onMeasured: () => void,
): RowWindow['measure'] {
  const latestOnMeasured = useRef(onMeasured);
  useEffect(() => {
    latestOnMeasured.current = onMeasured;
  });
  const observer = useRef<ResizeObserver | null>(null);
  useEffect(
    () => () => {
      observer.current?.disconnect();
      observer.current = null;
    },
    [],
  );
  return useCallback(
    (element) => {
      if (element === null) return;
      observer.current ??= new ResizeObserver((entries) => {
        const measured: { readonly index: number; readonly height: number }[] = [];
        for (const { target, borderBoxSize } of entries) {
          if (!(target instanceof HTMLElement) || !target.isConnected) continue;
          const height = Math.round(borderBoxSize[0]?.blockSize ?? target.offsetHeight);
          if (height > 0) measured.push({ index: Number(target.dataset.index), height });
        }
        const { any, above } = places.measureAll(measured, window.scrollY - latest.current.margin);
        if (above !== 0) window.scrollBy(0, above);
        if (any) latestOnMeasured.current();
      });
      const own = observer.current;
      own.observe(element);
      return () => own.unobserve(element);
    },
    [places, latest],
  );
}

/** A sentence that grows by a line above the list must not push the rows from under the pointer. */
function useAnchor(margin: number, still: boolean): void {
  const before = useRef(margin);
  useLayoutEffect(() => {
    const moved = margin - before.current;
    const known = before.current > 0;
    before.current = margin;
    if (still && known && moved !== 0) window.scrollBy(0, moved);
  }, [margin, still]);
}

/** An attribute, because the page's policy blocks inline styles. */
export function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="block md:table-row">
      <td className="block p-0 md:table-cell" height={height} />
    </tr>
  );
}

/** Measured when something above the list changes its size, never during a scroll: measuring forces a layout. */
export function useListTop(list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const measure = () => setTop(Math.round(element.getBoundingClientRect().top + window.scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement)
      for (let above = at.previousElementSibling; above !== null; above = above.previousElementSibling)
        observer.observe(above);
    return () => observer.disconnect();
  }, [list]);
  return top;
}
