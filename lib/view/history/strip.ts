/** Where the figures of one part stand on its strip: shares of its width and height, from 0 to 1. Pure. */
import type { FiguresGroup, HistoryFigures } from '@/lib/domain/history/figures';
import type { Span } from './timeline';

export interface Strip {
  /** Held, as a share of the most held cell of all parts. */
  readonly bars: readonly (Span & { readonly height: number })[];
  /** Cells in which a hold was lost. */
  readonly lost: readonly number[];
}

/** The most that one cell of any part was held, in milliseconds; at least 1. */
export const mostHeldMs = ({ groups }: Pick<HistoryFigures, 'groups'>): number =>
  Math.max(1, ...groups.flatMap(({ cells }) => cells.map(({ heldMs }) => heldMs)));

type Range = Pick<HistoryFigures, 'from' | 'to'>;

const clamp = (share: number) => Math.min(1, Math.max(0, share));
const spanIn = ({ from, to }: Range, beginMs: number, endMs: number): Span => ({
  from: clamp((beginMs - from) / (to - from)),
  to: clamp((endMs - from) / (to - from)),
});

export function stripOf(
  { cells }: Pick<FiguresGroup, 'cells'>,
  figures: Range & Pick<HistoryFigures, 'cellMs'>,
  mostMs: number,
): Strip {
  const placed = cells.map((cell) => ({ cell, ...spanIn(figures, cell.atMs, cell.atMs + figures.cellMs) }));
  return {
    bars: placed
      .filter(({ cell }) => cell.heldMs > 0)
      .map(({ cell, from, to }) => ({ from, to, height: cell.heldMs / mostMs })),
    lost: placed.filter(({ cell }) => cell.lost > 0).map(({ from, to }) => (from + to) / 2),
  };
}

/** Of which nothing is known: not watched, not kept then, or not counted. Never drawn as idle. */
export function unseenIn({
  from,
  to,
  countedFromMs,
  gaps,
}: Range & Pick<HistoryFigures, 'countedFromMs' | 'gaps'>): readonly Span[] {
  return [
    spanIn({ from, to }, from, Math.min(to, countedFromMs)),
    ...gaps.map((gap) => spanIn({ from, to }, gap.fromMs, gap.toMs ?? to)),
  ].filter((span) => span.to > span.from);
}
