'use client';
/** What was held and lost below a prefix by the hour, and how long holds and waits took: a strip and numbers for each part of it. */
import { useId, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import type { FiguresGroup, HistoryFigures, SpanFigures } from '@/lib/domain/history/figures';
import type { SourceId } from '@/lib/domain/source';
import { formatCount, formatDuration, formatWhen } from '@/lib/i18n/format/format';
import { mostHeldMs, stripOf, unseenIn } from '@/lib/view/history/strip';
import { percent, widthOf } from './measures';
import { useFigures } from './use-figures';
import type { ShownRange } from './use-history';

interface FiguresProps {
  readonly prefix: string;
  readonly source: SourceId | null;
  readonly range: ShownRange;
  readonly onPrefix: (prefix: string) => void;
}

export function Figures({ prefix, source, range, onPrefix }: FiguresProps) {
  const { history } = useAllMessages();
  const { data, isError } = useFigures(prefix, source, range);
  return (
    // Of one height, so that what stands below stays where it is while they come.
    <div className="h-96 resize-y overflow-y-auto px-4 pb-4 sm:px-6 print:h-auto">
      {data === undefined ? (
        <p className="text-[13px] text-ink-dim">{isError ? history.failed : history.loading}</p>
      ) : data.off ? null : data.groups.length === 0 ? (
        <p className="text-[13px] text-ink-soft">
          {data.countedFromMs < data.to ? history.none : history.figures.uncounted}
        </p>
      ) : (
        <Shown figures={data} onPrefix={onPrefix} />
      )}
    </div>
  );
}

const stripHeight = 22;
const head = 'py-1 pr-3 text-left align-bottom font-medium';
const cell = 'whitespace-nowrap py-1 pr-3 tabular-nums';

function Shown({ figures, onPrefix }: { figures: HistoryFigures; onPrefix: (prefix: string) => void }) {
  const m = useAllMessages();
  const words = m.history.figures;
  const { columns } = words;
  const id = useId();
  const nowMs = useNow();
  const zone = useZone();
  const mostMs = mostHeldMs(figures);
  const span = (ms: number) => formatDuration(ms, m.units);
  const spans = (of: SpanFigures | null) =>
    of === null ? ['', '', '', ''] : [formatCount(of.n), span(of.p50Ms), span(of.p95Ms), span(of.maxMs)];
  return (
    <>
      <svg width="0" height="0" aria-hidden="true" className="absolute">
        <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" className="fill-panel" />
          <line x1="0" y1="0" x2="0" y2="6" strokeWidth="2" className="stroke-line-strong" />
        </pattern>
      </svg>
      <section
        aria-label={words.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it is wider than the page, and keys move it.
        tabIndex={0}
        className="relative overflow-x-auto outline-brass focus-visible:outline-2"
      >
        <table className="w-full min-w-[46rem] text-[12px] sm:min-w-[58rem]">
          <thead className="text-ink-dim">
            <tr>
              <th scope="col" className={`${head} w-40`}>
                {columns.part}
              </th>
              <th scope="col" className={`${head} w-44 sm:w-[36%]`}>
                <span className="sr-only">{columns.strip}</span>
                <span
                  aria-hidden="true"
                  className="flex justify-between gap-2 whitespace-nowrap font-normal tabular-nums"
                >
                  <span>{formatWhen(figures.from, nowMs, zone)}</span>
                  <span>{formatWhen(figures.to, nowMs, zone)}</span>
                </span>
              </th>
              {[columns.held, columns.lost, columns.holds, 'p50', 'p95', 'max', columns.waits].map((name) => (
                <th key={name} scope="col" className={head}>
                  {name}
                </th>
              ))}
              {['p50', 'p95', 'max'].map((name) => (
                <th key={name} scope="col" className={head} aria-label={words.ofWaits(name)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures.groups.map((group) => (
              <tr key={group.name ?? ''} className="border-line border-t">
                <th scope="row" className="min-w-24 max-w-40 py-1 pr-3 text-left font-normal">
                  {group.name === null ? (
                    <span className="text-ink-dim">{words.others}</span>
                  ) : /[/:]$/.test(group.name) ? (
                    <button
                      type="button"
                      className="max-w-full break-all text-left underline decoration-line-strong underline-offset-3 hover:decoration-brass max-md:min-h-[44px]"
                      onClick={() => onPrefix(group.name ?? '')}
                    >
                      {group.name}
                    </button>
                  ) : (
                    <span className="break-all">{group.name}</span>
                  )}
                </th>
                <td className="py-1 pr-3">
                  <StripView group={group} figures={figures} mostMs={mostMs} hatch={id} />
                </td>
                <td className={cell}>{span(group.heldMs)}</td>
                <td className={cell}>{group.lost === 0 ? '' : formatCount(group.lost)}</td>
                {[...spans(group.holds), ...spans(group.waits)].map((text, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column has its place.
                  <td key={i} className={cell}>
                    {text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="mt-2 max-w-[80ch] text-[12px] text-ink-soft">
        {[
          words.tallest(span(mostMs), span(figures.cellMs)),
          words.marks,
          ...(figures.countedFromMs > figures.from
            ? [words.countedFrom(formatWhen(figures.countedFromMs, nowMs, zone))]
            : []),
        ].join(m.joint)}
      </p>
      <Cells figures={figures} />
    </>
  );
}

interface StripViewProps {
  readonly group: FiguresGroup;
  readonly figures: HistoryFigures;
  readonly mostMs: number;
  readonly hatch: string;
}

/** Height shows what is held, so that it can be read without colours. The numbers are beside it and in the table. */
function StripView({ group, figures, mostMs, hatch }: StripViewProps) {
  const { bars, lost } = stripOf(group, figures, mostMs);
  return (
    <svg
      aria-hidden="true"
      width="100%"
      height={stripHeight}
      className="block min-w-40 rounded-[3px] border border-line bg-inset print:[print-color-adjust:exact]"
    >
      {unseenIn(figures).map((span) => (
        <rect
          key={`${span.from} ${span.to}`}
          x={percent(span.from)}
          width={widthOf(span)}
          y="0"
          height={stripHeight}
          fill={`url(#${hatch})`}
        />
      ))}
      {bars.map(({ height, ...span }) => (
        <rect
          key={span.from}
          x={percent(span.from)}
          width={widthOf(span)}
          y={stripHeight * (1 - height)}
          height={Math.max(1, stripHeight * height)}
          strokeWidth="1"
          className="fill-brass stroke-inset"
        />
      ))}
      {lost.map((at) => (
        <circle key={at} cx={percent(at)} cy="4" r="3" strokeWidth="1" className="fill-danger stroke-panel" />
      ))}
    </svg>
  );
}

/** More than a person reads. */
const cellsMax = 300;

function Cells({ figures }: { figures: HistoryFigures }) {
  const m = useAllMessages();
  const words = m.history.figures;
  const nowMs = useNow();
  const zone = useZone();
  const [open, setOpen] = useState(false);
  const cells = figures.groups
    .flatMap(({ name, cells: own }) => own.map((one) => ({ ...one, name })))
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, cellsMax);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="mt-1">
      <summary className="w-fit cursor-pointer text-[12px] text-ink-soft">{m.history.table}</summary>
      {open ? (
        <div className="overflow-x-auto">
          <table className="text-left text-[12px]">
            <thead className="text-ink-dim">
              <tr>
                {[m.history.columns.from, words.columns.part, words.columns.held, words.columns.lost].map(
                  (name) => (
                    <th key={name} scope="col" className={head}>
                      {name}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {cells.map(({ atMs, name, heldMs, lost }) => (
                <tr key={`${atMs} ${name}`} className="border-line border-t">
                  <td className={cell}>{formatWhen(atMs, nowMs, zone)}</td>
                  <td className="break-all py-1 pr-3">{name ?? words.others}</td>
                  <td className={cell}>{formatDuration(heldMs, m.units)}</td>
                  <td className={cell}>{formatCount(lost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </details>
  );
}
