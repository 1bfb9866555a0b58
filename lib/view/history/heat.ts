/** The figures of a prefix as a heat map: a row for each part of it, a column for each hour or some of them. Pure. */
import { joined, type Span } from '@/lib/domain/history/column';
import type { HistoryFigures } from '@/lib/domain/history/figures';
import type { SourceId } from '@/lib/domain/source';

export interface HeatColumn {
  readonly fromMs: number;
  /** Cut to the range. */
  readonly toMs: number;
  /** How much of it was not watched, on average over the sources; not kept, or not counted, is not watched either. */
  readonly unseenMs: number;
}

export interface HeatCell {
  readonly heldMs: number;
  readonly lost: number;
  /** Held, as a share of the most held cell of its row, from 0 to 1. */
  readonly strength: number;
}

export interface HeatRow {
  /** `null`: all further names together. */
  readonly name: string | null;
  /** One for each column. */
  readonly cells: readonly HeatCell[];
}

export interface Heat {
  readonly columns: readonly HeatColumn[];
  readonly rows: readonly HeatRow[];
}

type HeatFigures = Pick<HistoryFigures, 'from' | 'to' | 'cellMs' | 'countedFromMs' | 'gaps' | 'groups'>;

const idle: HeatCell = { heldMs: 0, lost: 0, strength: 0 };

const overlapMs = (spans: readonly Span[], fromMs: number, toMs: number): number =>
  spans.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, toMs) - Math.max(from, fromMs)), 0);

/** `sources`: all that the figures are of, watched or not. */
export function heatOf(figures: HeatFigures, sources: readonly SourceId[]): Heat {
  const { from, to, cellMs, countedFromMs, gaps, groups } = figures;
  const unseen = sources.map((source) =>
    joined([
      [from, Math.min(to, countedFromMs)],
      ...gaps.filter((gap) => gap.source === source).map((gap): Span => [gap.fromMs, gap.toMs ?? to]),
    ]),
  );
  const starts: number[] = [];
  for (let atMs = Math.floor(from / cellMs) * cellMs; atMs < to; atMs += cellMs) starts.push(atMs);
  return {
    columns: starts.map((atMs) => {
      const [fromMs, toMs] = [Math.max(from, atMs), Math.min(to, atMs + cellMs)];
      const unseenMs = unseen.reduce((sum, spans) => sum + overlapMs(spans, fromMs, toMs), 0);
      return { fromMs, toMs, unseenMs: unseenMs / Math.max(1, sources.length) };
    }),
    rows: groups.map(({ name, cells }) => {
      const mostMs = Math.max(1, ...cells.map(({ heldMs }) => heldMs));
      const known = new Map(cells.map((cell) => [cell.atMs, cell]));
      return {
        name,
        cells: starts.map((atMs) => {
          const cell = known.get(atMs);
          return cell === undefined
            ? idle
            : { heldMs: cell.heldMs, lost: cell.lost, strength: cell.heldMs / mostMs };
        }),
      };
    }),
  };
}
