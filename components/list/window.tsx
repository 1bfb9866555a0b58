'use client';
/** A long list as one table of which only the rows near the window exist. The board and the sessions share it. */
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { useListTop } from '@/components/list-top';

// The server cannot know the window. It renders as many rows as a large one shows; the browser corrects it.
const firstRect = { width: 1440, height: 1440 };

interface WindowProps {
  readonly body: RefObject<HTMLElement | null>;
  readonly count: number;
  /** The identity of a row. With a new function the list would measure all of its rows again, at every scroll. */
  readonly keyOf: (index: number) => string | number;
  /** The row that stays in the document wherever one scrolls, or its focus would be lost; -1 for none. */
  readonly pinned: number;
  /** True while rows must not move: what grows above the list then scrolls the page instead. */
  readonly held: boolean;
}

export interface Shown {
  readonly index: number;
  readonly key: string;
  /** Space to leave before it. */
  readonly gap: number;
}

export interface RowWindow {
  readonly rows: readonly Shown[];
  /** Space to leave after the last. */
  readonly after: number;
  readonly measure: (element: HTMLTableRowElement | null) => void;
  readonly scrollTo: (index: number) => void;
}

export function useRowWindow({ body, count, keyOf, pinned, held }: WindowProps): RowWindow {
  const margin = useListTop(body);
  useAnchor(margin, held);
  const list = useWindowVirtualizer({
    count,
    estimateSize: () => 36,
    overscan: 12,
    scrollMargin: margin,
    initialRect: firstRect,
    getItemKey: keyOf,
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), pinned])]
        .filter((i) => i >= 0 && i < range.count)
        .sort((a, b) => a - b),
  });
  const items = list.getVirtualItems();
  const total = list.getTotalSize();
  let end = margin;
  const rows = items.map(({ index, key, start, end: next }) => {
    const gap = start - end > 0.5 && start <= total + margin ? start - end : 0;
    end = next;
    return { index, key: String(key), gap };
  });
  return {
    rows,
    after: items.length === 0 ? 0 : total + margin - end,
    measure: list.measureElement,
    scrollTo: (index) => list.scrollToIndex(index, { align: 'auto' }),
  };
}

/** A sentence that grows by a line above the list must not push the rows from under the pointer. */
function useAnchor(margin: number, held: boolean): void {
  const before = useRef(margin);
  useLayoutEffect(() => {
    const moved = margin - before.current;
    const known = before.current > 0;
    before.current = margin;
    if (held && known && moved !== 0) window.scrollBy(0, moved);
  }, [margin, held]);
}

/** Stands for rows that are not in the document. An attribute, as the page's policy blocks a style in HTML. */
export function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="block md:table-row">
      <td className="block p-0 md:table-cell" height={height} />
    </tr>
  );
}
