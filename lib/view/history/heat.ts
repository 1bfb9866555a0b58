/** The figures of a prefix as a heat map. A row is a part of the prefix, and a column is one or more hours. Pure. */
import { joined, type Span } from '@/lib/domain/history/column';
import type { HistoryFigures } from '@/lib/domain/history/figures';
import type { SourceId } from '@/lib/domain/source';

export interface HeatColumn {
  readonly fromMs: number;
  /** Cut to the range. */
  readonly toMs: number;
}

export interface HeatCell {
  readonly heldMs: number;
  readonly lost: number;
  /** Held time as a share of the most held cell of its row, 0 to 1. */
  readonly strength: number;
  /** Unwatched time, on average over the sources of its row. Time that is not kept or not counted is included. */
  readonly unseenMs: number;
}

export interface HeatRow {
  /** `null`: all further names together. */
  readonly name: string | null;
  readonly cells: readonly HeatCell[];
}

export interface Heat {
  readonly columns: readonly HeatColumn[];
  readonly rows: readonly HeatRow[];
}

type HeatFigures = Pick<HistoryFigures, 'from' | 'to' | 'cellMs' | 'countedFromMs' | 'gaps' | 'groups'>;

const overlapMs = (spans: readonly Span[], fromMs: number, toMs: number): number =>
  spans.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, toMs) - Math.max(from, fromMs)), 0);

export function heatOf({ from, to, cellMs, countedFromMs, gaps, groups }: HeatFigures): Heat {
  const columns: HeatColumn[] = [];
  for (let atMs = Math.floor(from / cellMs) * cellMs; atMs < to; atMs += cellMs)
    columns.push({ fromMs: Math.max(from, atMs), toMs: Math.min(to, atMs + cellMs) });
  const unseenOf = (source: SourceId): readonly number[] => {
    const spans = joined([
      [from, Math.min(to, countedFromMs)],
      ...gaps.filter((gap) => gap.source === source).map((gap): Span => [gap.fromMs, gap.toMs ?? to]),
    ]);
    return columns.map(({ fromMs, toMs }) => overlapMs(spans, fromMs, toMs));
  };
  const unseen = new Map(
    [...new Set(groups.flatMap(({ sources }) => sources))].map((source) => [source, unseenOf(source)]),
  );
  return {
    columns,
    rows: groups.map(({ name, sources, cells }) => {
      const mostMs = Math.max(1, ...cells.map(({ heldMs }) => heldMs));
      const known = new Map(cells.map((cell) => [cell.atMs, cell]));
      return {
        name,
        cells: columns.map(({ fromMs }, i) => {
          const { heldMs, lost } = known.get(Math.floor(fromMs / cellMs) * cellMs) ?? { heldMs: 0, lost: 0 };
          const unseenMs = sources.reduce((sum, source) => sum + (unseen.get(source)?.[i] ?? 0), 0);
          return {
            heldMs,
            lost,
            strength: heldMs / mostMs,
            unseenMs: unseenMs / Math.max(1, sources.length),
          };
        }),
      };
    }),
  };
}
