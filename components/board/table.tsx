'use client';
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { holdHandlers, type Steady } from '@/components/hold';
import { useListTop } from '@/components/list-top';
import { useMessages } from '@/components/locale';
import { Tip } from '@/components/ui/tip';
import { Row } from './row';
import type { BoardRow } from './rows';

type Item =
  | { readonly kind: 'group'; readonly name: string; readonly n: number }
  | { readonly kind: 'row'; readonly row: BoardRow; readonly gone: boolean };

function itemsOf(rows: Steady<BoardRow>['rows'], grouped: boolean): Item[] {
  if (!grouped) return rows.map(({ row, gone }) => ({ kind: 'row', row, gone }));
  const counts = new Map<string, number>();
  for (const { row } of rows) counts.set(row.group, (counts.get(row.group) ?? 0) + 1);
  const items: Item[] = [];
  let current: string | null = null;
  for (const { row, gone } of rows) {
    if (row.group !== current) {
      current = row.group;
      items.push({ kind: 'group', name: current, n: counts.get(current) ?? 0 });
    }
    items.push({ kind: 'row', row, gone });
  }
  return items;
}

// The server cannot know the window. It renders as many rows as a large one shows; the browser corrects it.
const firstRect = { width: 1440, height: 1440 };

/** The list, as one table of which only the rows near the window exist. */
export function Table({ steady, grouped }: { steady: Steady<BoardRow>; grouped: boolean }) {
  const { board } = useMessages();
  const items = useMemo(() => itemsOf(steady.rows, grouped), [steady.rows, grouped]);
  const body = useRef<HTMLTableSectionElement>(null);
  const margin = useListTop(body);
  const [activeId, setActiveId] = useState<string | null>(null);
  const indexOf = useCallback(
    (id: string | null) =>
      id === null ? -1 : items.findIndex((item) => item.kind === 'row' && item.row.id === id),
    [items],
  );
  const active = Math.max(indexOf(activeId), items[0]?.kind === 'group' ? 1 : 0);
  // With a new function the list would measure all of its rows again, at every scroll.
  const keyOf = useCallback(
    (index: number) => {
      const item = items[index];
      return item === undefined ? index : item.kind === 'group' ? `group ${item.name}` : item.row.id;
    },
    [items],
  );
  const list = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => 36,
    overscan: 12,
    scrollMargin: margin,
    initialRect: firstRect,
    getItemKey: keyOf,
    // The row with the focus stays in the document wherever one scrolls, or the focus would be lost.
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), active])]
        .filter((i) => i < range.count)
        .sort((a, b) => a - b),
  });
  const goTo = (index: number) => {
    const item = items[index];
    if (item?.kind !== 'row') return;
    setActiveId(item.row.id);
    list.scrollToIndex(index, { align: 'auto' });
    requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(item.row.id)}"] .row-link`)?.focus(),
    );
  };
  useArrowDown(() => goTo(items.findIndex((item) => item.kind === 'row')));
  const onKeyDown = (event: React.KeyboardEvent) => {
    const next = keyTarget(event.key, active, items);
    if (next === null) return;
    event.preventDefault();
    goTo(next);
  };
  const shown = list.getVirtualItems();
  const last = shown[shown.length - 1];
  const gaps = gapsOf(shown, list.getTotalSize(), margin);
  return (
    <table
      aria-label={board.table}
      aria-rowcount={items.length + 1}
      className="board-table block text-[13px] md:table"
    >
      <colgroup className="hidden md:table-column-group">
        <col />
        <col className="w-52" />
        <col className="w-24" />
        <col className="w-[32%]" />
        <col className="hidden w-32 lg:table-column" />
        <col className="hidden w-32 xl:table-column" />
      </colgroup>
      <Head />
      <tbody
        ref={body}
        className="block md:table-row-group"
        onKeyDown={onKeyDown}
        {...holdHandlers(steady)}
        onFocus={(event) => {
          const id = (event.target as HTMLElement).closest('[data-row]')?.getAttribute('data-row');
          if (id != null) setActiveId(id);
          steady.hold();
        }}
      >
        {shown.map((virtual) => {
          const item = items[virtual.index];
          const gap = gaps.get(virtual.index) ?? 0;
          if (item === undefined) return null;
          return [
            gap > 0 ? <Spacer key={`gap ${virtual.key}`} height={gap} /> : null,
            item.kind === 'group' ? (
              <Group
                key={virtual.key}
                name={item.name}
                n={item.n}
                index={virtual.index}
                measure={list.measureElement}
              />
            ) : (
              <Row
                key={virtual.key}
                row={item.row}
                gone={item.gone}
                index={virtual.index}
                active={virtual.index === active}
                measure={list.measureElement}
              />
            ),
          ];
        })}
        {last === undefined ? null : <Spacer height={list.getTotalSize() + margin - last.end} />}
      </tbody>
    </table>
  );
}

/** The way into the list by keyboard: arrow down from the search, or with nothing focused, goes to the first row. */
function useArrowDown(enter: () => void) {
  const latest = useRef(enter);
  useEffect(() => {
    latest.current = enter;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key, altKey, ctrlKey, metaKey, shiftKey } = event;
      if (key !== 'ArrowDown' || altKey || ctrlKey || metaKey || shiftKey || event.defaultPrevented) return;
      const from =
        target === document.body ||
        (target instanceof HTMLElement && target.matches('#content, [type=search]'));
      if (!from) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Space before a rendered row that stands apart from the one before it. */
function gapsOf(
  shown: readonly { index: number; start: number; end: number }[],
  total: number,
  margin: number,
) {
  const gaps = new Map<number, number>();
  let end = margin;
  for (const item of shown) {
    if (item.start - end > 0.5 && item.start <= total + margin) gaps.set(item.index, item.start - end);
    end = item.end;
  }
  return gaps;
}

/** Where a key leads from a row; `null` when it is not a key of the list. */
function keyTarget(key: string, from: number, items: readonly Item[]): number | null {
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (step !== 0) {
    for (let i = from + step; i >= 0 && i < items.length; i += step) if (items[i]?.kind === 'row') return i;
    return from;
  }
  if (key === 'Home') return items.findIndex((item) => item.kind === 'row');
  if (key === 'End') return items.findLastIndex((item) => item.kind === 'row');
  return null;
}

function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="block md:table-row">
      <td className="block p-0 md:table-cell" style={{ height }} />
    </tr>
  );
}

interface GroupProps {
  readonly name: string;
  readonly n: number;
  readonly index: number;
  readonly measure: (element: HTMLTableRowElement | null) => void;
}

const empty = 'hidden border-b border-line md:table-cell';

function Group({ name, n, index, measure }: GroupProps) {
  const { board } = useMessages();
  return (
    <tr ref={measure} data-index={index} className="block bg-inset md:table-row">
      {/* One cell each, for a span over columns that are hidden at this width would make new ones. */}
      <th
        scope="rowgroup"
        className="block border-line border-b px-4 py-1.5 text-left font-mono font-normal text-[12px] text-ink-dim max-md:break-all md:table-cell md:h-9 md:py-0 md:whitespace-nowrap"
      >
        {name === '' ? board.noGroup : name} <span className="pl-2 font-sans">{n}</span>
      </th>
      <td className={empty} />
      <td className={empty} />
      <td className={empty} />
      <td className={`${empty} hidden! lg:table-cell!`} />
      <td className={`${empty} hidden! xl:table-cell!`} />
    </tr>
  );
}

const head =
  'hidden border-b border-line-strong bg-room px-3 py-1.5 font-normal text-[12px] text-ink-dim md:table-cell';

function Head() {
  const { board } = useMessages();
  const { columns, columnHelp } = board;
  return (
    <thead className="top-[49px] z-10 hidden md:table-header-group lg:sticky">
      <tr>
        <th scope="col" className={clsx(head, 'pl-9! text-left')}>
          {columns.name}
        </th>
        <th scope="col" className={clsx(head, 'text-left')}>
          <Explained text={columnHelp.slots}>{columns.slots}</Explained>
        </th>
        <th scope="col" className={clsx(head, 'text-right')}>
          <Explained text={columnHelp.waiting}>{columns.waiting}</Explained>
        </th>
        <th scope="col" className={clsx(head, 'text-left')}>
          {columns.holder}
        </th>
        <th scope="col" className={clsx(head, 'hidden! text-left lg:table-cell!')}>
          <Explained text={columnHelp.since}>{columns.since}</Explained>
        </th>
        <th scope="col" className={clsx(head, 'hidden! text-left xl:table-cell!')}>
          <Explained text={columnHelp.ends}>{columns.ends}</Explained>
        </th>
      </tr>
    </thead>
  );
}

function Explained({ text, children }: { text: string; children: string }) {
  return (
    <Tip text={text}>
      <button
        type="button"
        className="cursor-help underline decoration-dotted decoration-line-strong underline-offset-3"
      >
        {children}
      </button>
    </Tip>
  );
}
