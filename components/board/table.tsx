'use client';
import { clsx } from 'clsx';
import { Fragment, memo, useMemo, useRef } from 'react';
import { useMessages } from '@/components/dom/locale';
import { useNarrow } from '@/components/dom/media';
import { useWalkedRows } from '@/components/list/rows';
import type { Steady } from '@/components/list/stable-order';
import { Unprinted } from '@/components/list/unprinted';
import { Spacer } from '@/components/list/window';
import { Explained } from '@/components/ui/tip';
import type { BoardAhead } from '@/lib/view/board/board-opening';
import { type BoardRow, rowNeedsHuman } from '@/lib/view/board-rows';
import { Group, type GroupFacts } from './group';
import { HourHead } from './hour';
import { Row } from './row';

type Item =
  | { readonly kind: 'group'; readonly id: string; readonly group: GroupFacts }
  | { readonly kind: 'row'; readonly id: string; readonly row: BoardRow; readonly gone: boolean };

/** Grouped, a closed group is only its head. */
export function itemsOf(
  rows: Steady<BoardRow>['rows'],
  grouped: boolean,
  closed: ReadonlySet<string>,
  groupsAhead: BoardAhead['groups'] = {},
): Item[] {
  const itemOf = ({ row, gone }: Steady<BoardRow>['rows'][number]): Item => ({
    kind: 'row',
    id: row.id,
    row,
    gone,
  });
  if (!grouped) return rows.map(itemOf);
  const groups = new Map<string, Steady<BoardRow>['rows'][number][]>();
  for (const one of rows) {
    const group = groups.get(one.row.group);
    if (group === undefined) groups.set(one.row.group, [one]);
    else group.push(one);
  }
  return [...groups].flatMap(([name, own]): Item[] => {
    const needs = own.filter(({ row }) => rowNeedsHuman(row)).length;
    const urgent = own.some(({ row }) => row.urgency === 0);
    const group = { name, rows: own.length, needs, urgent, ...groupsAhead[name], closed: closed.has(name) };
    const top: Item = { kind: 'group', id: `group ${name}`, group };
    return group.closed ? [top] : [top, ...own.map(itemOf)];
  });
}

interface TableProps {
  readonly steady: Steady<BoardRow>;
  readonly grouped: boolean;
  readonly closed: readonly string[];
  /** Counts for groups of which some rows are still to come. */
  readonly groups: BoardAhead['groups'] | undefined;
  readonly onToggle: (group: string) => void;
  /** False while only the first rows are here. */
  readonly whole: boolean;
}

export const Table = memo(function Table({ steady, grouped, groups, closed, onToggle, whole }: TableProps) {
  const { board } = useMessages();
  const items = useMemo(
    () => itemsOf(steady.rows, grouped, new Set(closed), groups),
    [steady.rows, grouped, closed, groups],
  );
  const ids = useMemo(() => items.map((item) => item.id), [items]);
  const narrow = useNarrow();
  const body = useRef<HTMLTableSectionElement>(null);
  const { window, active, handlers, onMenu } = useWalkedRows({ body, ids, steady, whole });
  return (
    <>
      <table
        aria-label={board.table}
        aria-rowcount={items.length + 1}
        className="board-table block text-[13px] md:table"
      >
        <colgroup className="hidden md:table-column-group">
          <col className="wide:w-[22%]" />
          <col className="w-52" />
          <col className="w-24" />
          <col className="w-[30%] xl:w-[22%] wide:w-[18%]" />
          <col className="hidden w-32 lg:table-column wide:w-44" />
          <col className="hidden w-32 xl:table-column" />
          <col className="hidden w-32 xl:table-column" />
          <col className="hidden xl:table-column xl:w-0 wide:w-auto" />
          <col className="w-11" />
        </colgroup>
        <Head />
        <tbody ref={body} className="block md:table-row-group" {...handlers}>
          {window.rows.map(({ index, key, gap }) => {
            const item = items[index];
            if (item === undefined) return null;
            const shared = { index, active: index === active, measure: window.measure };
            // One list with one key. A nested list would be matched by place, and each scroll would render all rows
            // again.
            return (
              <Fragment key={key}>
                <Spacer height={gap} />
                {item.kind === 'group' ? (
                  <Group {...item.group} {...shared} onToggle={onToggle} />
                ) : (
                  <Row
                    row={item.row}
                    gone={item.gone}
                    narrow={narrow || window.printing}
                    {...shared}
                    onMenu={onMenu}
                  />
                )}
              </Fragment>
            );
          })}
          <Spacer height={window.after} />
        </tbody>
      </table>
      <Unprinted rows={window.unprinted} />
    </>
  );
});

const head =
  'hidden border-b border-line-strong bg-room px-3 py-1.5 font-normal text-[12px] text-ink-dim md:table-cell';

function Head() {
  const { board, columnHelp, copy } = useMessages();
  const { columns } = board;
  return (
    <thead className="top-(--header-height) z-10 hidden md:table-header-group lg:sticky">
      <tr aria-rowindex={1}>
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
        <th scope="col" className={clsx(head, 'hidden! text-left xl:table-cell!')}>
          <HourHead />
        </th>
        <th scope="col" className={clsx(head, 'hidden! px-0! text-left xl:table-cell! wide:px-3!')}>
          <span className="sr-only wide:not-sr-only">{columns.why}</span>
        </th>
        <th scope="col" className={head}>
          <span className="sr-only">{copy.button}</span>
        </th>
      </tr>
    </thead>
  );
}
