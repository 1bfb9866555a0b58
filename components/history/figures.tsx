'use client';
/** The figures below a prefix: a heat map of held and lost parts by the hour, and the lengths of holds and waits. */
import { useMemo, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useZone } from '@/components/live/clock';
import type { HistoryFigures, SpanFigures } from '@/lib/domain/history/figures';
import type { SourceId } from '@/lib/domain/source';
import { formatCount, formatDuration, formatInstant, formatWhen } from '@/lib/i18n/format/format';
import { type Heat, heatOf } from '@/lib/view/history/heat';
import type { TimeRange } from '@/lib/view/history/timeline';
import { HeatLegend, HeatMap } from './heat-map';
import { useFigures } from './use-figures';
import type { ShownRange } from './use-history';

interface FiguresProps {
  readonly prefix: string;
  readonly source: SourceId | null;
  readonly range: ShownRange;
  readonly onOpen: (prefix: string | null, span: TimeRange | null) => void;
}

export function Figures({ prefix, source, range, onOpen }: FiguresProps) {
  const { history } = useAllMessages();
  const { data, isError } = useFigures(prefix, source, range);
  return (
    // A fixed height keeps the content below in place while the figures load.
    <div className="h-[32rem] resize-y overflow-y-auto px-4 pb-4 sm:px-6 print:h-auto">
      {data === undefined ? (
        <p className="text-[13px] text-ink-dim">{isError ? history.failed : history.loading}</p>
      ) : data.off ? null : data.groups.length === 0 ? (
        <p className="text-[13px] text-ink-soft">
          {data.countedFromMs < data.to ? history.none : history.figures.uncounted}
        </p>
      ) : (
        <Shown figures={data} onOpen={onOpen} />
      )}
    </div>
  );
}

const head = 'py-1 pr-3 text-left align-bottom font-medium';
const cell = 'whitespace-nowrap py-1 pr-3 tabular-nums';

interface ShownProps extends Pick<FiguresProps, 'onOpen'> {
  readonly figures: HistoryFigures;
}

function Shown({ figures, onOpen }: ShownProps) {
  const m = useAllMessages();
  const words = m.history.figures;
  const { columns } = words;
  const zone = useZone();
  const heat = useMemo(() => heatOf(figures), [figures]);
  const others = words.others(figures.groupsMore);
  const span = (ms: number) => formatDuration(ms, m.units);
  const spans = (of: SpanFigures | null) =>
    of === null ? ['', '', '', ''] : [formatCount(of.n), span(of.p50Ms), span(of.p95Ms), span(of.maxMs)];
  return (
    <>
      <HeatMap heat={heat} others={others} onOpen={onOpen} />
      <HeatLegend
        text={[
          m.history.heat.legend(span(figures.cellMs)),
          ...(figures.countedFromMs > figures.from
            ? [words.countedFrom(formatWhen(figures.countedFromMs, figures.to, zone))]
            : []),
        ].join(m.joint)}
      />
      <Cells heat={heat} others={others} />
      <section
        aria-label={words.lengths}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it is wider than the page, and keys move it.
        tabIndex={0}
        className="relative mt-4 overflow-x-auto outline-brass focus-visible:outline-2"
      >
        <table className="w-full min-w-[40rem] max-w-[90rem] text-[12px]">
          <caption className="py-1 text-left text-ink-soft">{words.lengths}</caption>
          <thead className="text-ink-dim">
            <tr>
              {[
                columns.part,
                columns.held,
                columns.lost,
                columns.holds,
                'p50',
                'p95',
                'max',
                columns.waits,
              ].map((name) => (
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
                <th scope="row" className="min-w-24 max-w-40 break-all py-1 pr-3 text-left font-normal">
                  {group.name ?? <span className="text-ink-dim">{others}</span>}
                </th>
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
      <p className="mt-2 max-w-[80ch] text-[12px] text-ink-soft">{words.exact}</p>
    </>
  );
}

interface Listed {
  readonly name: string;
  readonly fromMs: number;
  readonly heldMs: number;
  readonly lost: number;
  readonly unseenMs: number;
}

/** The cells of the map with something to report, the newest first. */
function listed({ rows, columns }: Heat, others: string): readonly Listed[] {
  return rows
    .flatMap(({ name, cells }) =>
      cells.flatMap(({ heldMs, lost, unseenMs }, i): Listed[] =>
        heldMs === 0 && lost === 0 && unseenMs === 0
          ? []
          : [{ name: name ?? others, fromMs: columns[i]?.fromMs ?? 0, heldMs, lost, unseenMs }],
      ),
    )
    .sort((a, b) => b.fromMs - a.fromMs);
}

function Cells({ heat, others }: { heat: Heat; others: string }) {
  const m = useAllMessages();
  const words = m.history.figures;
  const { columns } = words;
  const zone = useZone();
  const [open, setOpen] = useState(false);
  const span = (ms: number) => (ms === 0 ? '' : formatDuration(ms, m.units));
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="mt-1">
      <summary className="w-fit cursor-pointer text-[12px] text-ink-soft">{m.history.table}</summary>
      {open ? (
        <div className="overflow-x-auto">
          <table className="text-left text-[12px]">
            <thead className="text-ink-dim">
              <tr>
                {[m.history.columns.from, columns.part, columns.held, columns.lost, columns.unseen].map(
                  (name) => (
                    <th key={name} scope="col" className={head}>
                      {name}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {listed(heat, others).map(({ fromMs, name, heldMs, lost, unseenMs }) => (
                <tr key={`${fromMs} ${name}`} className="border-line border-t">
                  <td className={cell}>{formatInstant(fromMs, zone).slice(0, 16)}</td>
                  <td className="break-all py-1 pr-3">{name}</td>
                  <td className={cell}>{span(heldMs)}</td>
                  <td className={cell}>{lost === 0 ? '' : formatCount(lost)}</td>
                  <td className={cell}>{span(unseenMs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </details>
  );
}
