'use client';
/**
 * The held and lost names by the hour: a row for each part of a prefix, the worst first. The map is one stop for the
 * Tab key; arrow keys move between cells, and Enter opens one. It is drawn below the cells, as a page has no style of
 * its own.
 */
import { clsx } from 'clsx';
import { memo, useEffect, useId, useRef, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useZone } from '@/components/live/clock';
import { Button } from '@/components/ui/button';
import { formatCount, formatDuration, formatInstant } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';
import type { Heat, HeatCell, HeatColumn } from '@/lib/view/history/heat';
import type { TimeRange } from '@/lib/view/history/timeline';
import { percent } from './measures';

interface HeatMapProps {
  readonly heat: Heat;
  /** The name of the last row, which has none of its own. */
  readonly others: string;
  /** `prefix` `null`: the one that is shown. `span` `null`: the range that is shown. */
  readonly onOpen: (prefix: string | null, span: TimeRange | null) => void;
}

/** Column -1 is the name of the row. */
interface Place {
  readonly row: number;
  readonly column: number;
}

/** The weakest cell that was held at all must not look idle. */
const strengthMin = 0.2;
const chip = 'rounded-[3px] bg-panel px-0.5 text-[10px] text-danger leading-3.5 tabular-nums';
/** More digits do not fit. */
const lostMax = 99;

const within = (at: number, min: number, max: number) => Math.min(max, Math.max(min, at));

/** `11-26 02:00` */
const hourText = (atMs: number, zone: string) => formatInstant(atMs, zone).slice(5, 16);

/** The text of a cell, for readers who cannot see its strength. */
export function cellText(
  name: string,
  { heldMs, lost, unseenMs }: HeatCell,
  { fromMs, toMs }: HeatColumn,
  zone: string,
  { history, units }: Pick<AllMessages, 'history' | 'units'>,
): string {
  const { heat } = history;
  const nothing = unseenMs >= toMs - fromMs;
  const facts = [
    ...(heldMs > 0 ? [heat.held(formatDuration(heldMs, units))] : nothing ? [] : [heat.idle]),
    ...(lost > 0 ? [heat.lost(formatCount(lost))] : []),
    ...(nothing ? [heat.unseen] : unseenMs > 0 ? [heat.partUnseen(formatDuration(unseenMs, units))] : []),
  ];
  return heat.cell(name, history.page.between(hourText(fromMs, zone), hourText(toMs, zone)), facts);
}

export function HeatMap({ heat: { rows, columns }, others, onOpen }: HeatMapProps) {
  const m = useAllMessages();
  const words = m.history.heat;
  const zone = useZone();
  const hatch = useId();
  const grid = useRef<HTMLTableElement>(null);
  const [cursor, setCursor] = useState<Place>({ row: 0, column: columns.length - 1 });
  const [pointed, setPointed] = useState<Place | null>(null);
  const opened = useRef(false);
  const inMap = ({ row, column }: Place): Place => ({
    row: within(row, 0, rows.length - 1),
    column: within(column, -1, columns.length - 1),
  });
  const chosen = inMap(cursor);
  const focus = ({ row, column }: Place) =>
    grid.current?.querySelector<HTMLElement>(`[data-cell="${row} ${column}"]`)?.focus();
  // The opened cell may be gone with what replaced it; the keyboard stays in the map.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new map takes a cell away.
  useEffect(() => {
    if (opened.current && document.activeElement === document.body) focus(chosen);
    opened.current = false;
  }, [rows]);
  /** All others have no name to open. */
  const opens = ({ row, column }: Place) => column >= 0 || rows[row]?.name != null;
  const open = (place: Place) => {
    if (!opens(place)) return;
    opened.current = true;
    const span = columns[place.column];
    onOpen(
      rows[place.row]?.name ?? null,
      span === undefined ? null : { fromMs: span.fromMs, toMs: span.toMs },
    );
  };
  const placeOf = (target: EventTarget): Place | null => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-cell]') : null;
    const [row, column] = (cell?.dataset.cell ?? '').split(' ').map(Number);
    return row === undefined || column === undefined ? null : { row, column };
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const { row, column } = chosen;
    const next: Record<string, Place> = {
      ArrowLeft: { row, column: column - 1 },
      ArrowRight: { row, column: column + 1 },
      ArrowUp: { row: row - 1, column },
      ArrowDown: { row: row + 1, column },
      Home: { row, column: -1 },
      End: { row, column: columns.length - 1 },
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') open(chosen);
    else if (next[event.key] === undefined) return;
    else {
      const to = inMap(next[event.key] ?? chosen);
      setCursor(to);
      focus(to);
    }
    event.preventDefault();
  };
  const shown = inMap(pointed ?? chosen);
  const [shownRow, shownColumn] = [rows[shown.row], columns[shown.column]];
  const shownCell = shownRow?.cells[shown.column];
  const nameOf = (name: string | null | undefined) => name ?? others;
  return (
    <>
      <svg width="0" height="0" aria-hidden="true" className="absolute">
        <Hatch id={hatch} />
      </svg>
      <div className="relative overflow-x-auto print:overflow-visible">
        <table
          ref={grid}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table with keys.
          role="grid"
          aria-label={words.label}
          aria-readonly="true"
          onKeyDown={onKeyDown}
          onFocus={({ target }) => {
            const place = placeOf(target);
            if (place !== null) setCursor(place);
          }}
          onClick={({ target }) => {
            const place = placeOf(target);
            if (place?.column === -1) open(place);
          }}
          onDoubleClick={({ target }) => {
            const place = placeOf(target);
            if (place !== null && place.column >= 0) open(place);
          }}
          onPointerOver={({ target }) => setPointed(placeOf(target))}
          onPointerLeave={() => setPointed(null)}
          className={clsx(
            'w-full table-fixed border-separate border-spacing-0',
            columns.length > 31 ? 'min-w-[70rem]' : 'min-w-[40rem]',
            'print:min-w-0',
          )}
        >
          <Hours columns={columns} />
          <tbody>
            {rows.map(({ name, cells }, row) => (
              <Row
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell keeps its place, and the focus, when other rows come.
                key={row}
                row={row}
                name={name}
                text={nameOf(name)}
                cells={cells}
                columns={columns}
                chosen={chosen.row === row ? chosen.column : null}
                hatch={`url(#${hatch})`}
              />
            ))}
          </tbody>
        </table>
      </div>
      <div className="mt-1.5 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1 text-[12px] max-md:min-h-11 print:hidden">
        <Button
          className="h-7! px-2 text-[12px] max-md:h-11!"
          aria-disabled={!opens(chosen)}
          onClick={() => open(chosen)}
        >
          {chosen.column === -1 ? words.openName : words.open}
        </Button>
        {/* The cell itself says it to a screen reader. */}
        <span aria-hidden="true">
          {shownColumn === undefined || shownCell === undefined
            ? nameOf(shownRow?.name)
            : cellText(nameOf(shownRow?.name), shownCell, shownColumn, zone, m)}
        </span>
      </div>
    </>
  );
}

const none: HeatColumn = { fromMs: 0, toMs: 0 };

interface RowProps {
  readonly row: number;
  readonly name: string | null;
  readonly text: string;
  readonly cells: readonly HeatCell[];
  readonly columns: readonly HeatColumn[];
  /** The cell with the stop of the Tab key; `null`: another row has it. */
  readonly chosen: number | null;
  readonly hatch: string;
}

const stop = 'outline-ink -outline-offset-2 focus:outline-2';

/** Not made again for each cell that the pointer passes. */
const Row = memo(({ row, name, text, cells, columns, chosen, hatch }: RowProps) => {
  const m = useAllMessages();
  const zone = useZone();
  return (
    <tr className="h-6 max-md:h-11">
      <th
        scope="row"
        data-cell={`${row} -1`}
        tabIndex={chosen === -1 ? 0 : -1}
        title={name ?? undefined}
        className={clsx(
          'sticky left-0 z-10 truncate bg-room p-0 pr-2 text-left font-normal text-[12px]',
          name === null
            ? 'text-ink-dim'
            : 'cursor-pointer underline decoration-line-strong underline-offset-3 hover:decoration-brass',
          stop,
        )}
      >
        {text}
      </th>
      {cells.map((cell, column) => (
        <td
          // biome-ignore lint/suspicious/noArrayIndexKey: a cell has its place.
          key={column}
          data-cell={`${row} ${column}`}
          tabIndex={chosen === column ? 0 : -1}
          aria-label={cellText(text, cell, columns[column] ?? none, zone, m)}
          className={clsx(
            'relative cursor-pointer border-room border-r border-b bg-inset p-0 text-center forced-color-adjust-none print:[print-color-adjust:exact]',
            stop,
          )}
        >
          <Strength cell={cell} column={columns[column] ?? none} hatch={hatch} />
          {cell.lost === 0 ? null : (
            <span aria-hidden="true" className={clsx('relative', chip)}>
              {cell.lost > lostMax ? `${lostMax}+` : cell.lost}
            </span>
          )}
        </td>
      ))}
    </tr>
  );
});

interface StrengthProps extends Pick<RowProps, 'hatch'> {
  readonly cell: Pick<HeatCell, 'strength' | 'unseenMs'>;
  readonly column: HeatColumn;
}

function Strength({ cell: { strength, unseenMs }, column: { fromMs, toMs }, hatch }: StrengthProps) {
  const unseen = unseenMs / Math.max(1, toMs - fromMs);
  if (strength === 0 && unseen === 0) return null;
  return (
    <svg aria-hidden="true" width="100%" height="100%" className="absolute inset-0">
      {strength === 0 ? null : (
        <rect
          width="100%"
          height="100%"
          fillOpacity={strengthMin + (1 - strengthMin) * strength}
          className="fill-brass"
        />
      )}
      {unseen === 0 ? null : (
        <rect width="100%" y={percent(1 - unseen)} height={percent(unseen)} fill={hatch} />
      )}
    </svg>
  );
}

const Hatch = ({ id }: { id: string }) => (
  <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <line x1="0" y1="0" x2="0" y2="6" strokeWidth="3" className="stroke-line-strong" />
  </pattern>
);

/** Days above hours, as far apart as readable. The cells name their time themselves. */
function Hours({ columns }: { columns: readonly HeatColumn[] }) {
  const zone = useZone();
  const texts = columns.map(({ fromMs }) => formatInstant(fromMs, zone));
  const every = columns.length > 31 ? 2 : 3;
  const isOtherDay = (i: number, than: number) => texts[i]?.slice(0, 10) !== texts[than]?.slice(0, 10);
  let dated = Number.NEGATIVE_INFINITY;
  return (
    <thead aria-hidden="true">
      <tr className="whitespace-nowrap text-[11px] text-ink-dim tabular-nums leading-4">
        <td className="sticky left-0 z-10 w-24 bg-room p-0 sm:w-44" />
        {texts.map((text, i) => {
          // The first day gives way to one that begins beside it.
          const begins = i === 0 ? texts.length < 4 || !isOtherDay(2, 0) : isOtherDay(i, i - 1);
          const isDated = begins && i - dated >= every;
          if (isDated) dated = i;
          return (
            <td key={columns[i]?.fromMs} className="p-0 align-bottom">
              <span className="block h-4">{isDated ? text.slice(5, 10) : ''}</span>
              <span className="block h-4">{i % every === 0 ? text.slice(11, 13) : ''}</span>
            </td>
          );
        })}
      </tr>
    </thead>
  );
}

const sample = 'h-3.5 w-5 relative bg-inset forced-color-adjust-none print:[print-color-adjust:exact]';

/** The meaning of strengths and marks, beside a sample of each. */
export function HeatLegend({ text }: { text: string }) {
  const { heat } = useAllMessages().history;
  const hatch = useId();
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-[12px] text-ink-soft">
      <span className="inline-flex items-center gap-1">
        {heat.weak}
        {[0, 1 / 3, 2 / 3, 1].map((strength) => (
          <span key={strength} className={sample}>
            <Strength cell={{ strength, unseenMs: 0 }} column={none} hatch="" />
          </span>
        ))}
        {heat.strong}
      </span>
      <span className="inline-flex items-center gap-1">
        <span aria-hidden="true" className={clsx('border border-line forced-color-adjust-none', chip)}>
          2
        </span>
        {heat.number}
      </span>
      <span className="inline-flex items-center gap-1">
        <svg aria-hidden="true" className={sample}>
          <Hatch id={hatch} />
          <rect width="100%" height="100%" fill={`url(#${hatch})`} />
        </svg>
        {heat.hatched}
      </span>
      <p className="max-w-[80ch] basis-full">{text}</p>
    </div>
  );
}
