/**
 * The history below a prefix in figures: the held time and the lost holds of each part, and the lengths of holds and
 * waits. Pure. Unseen time is not counted.
 */
import type { SourceId } from '@/lib/domain/source';
import { joined, type Span } from './column';
import { type Gap, type Hold, lastedMs, type Wait, wasLost, wasSeenWhole } from './episode';
import {
  bucketed,
  type HourBook,
  hourLengthMs,
  noSpread,
  percentile,
  type Spread,
  spreadOf,
  wholeIn,
} from './hour-book';

export interface SpanFigures {
  readonly n: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface FiguresCell {
  /** Start of the cell. */
  readonly atMs: number;
  /** Sum over all holds of their time in this cell while their source was watched. */
  readonly heldMs: number;
  /** Holds that ended in this cell otherwise than by a release. */
  readonly lost: number;
}

export interface FiguresGroup {
  /** The name up to the next `/` or `:` after the prefix; `null`: all further names together. */
  readonly name: string | null;
  /** Its sources. A gap of another source hides nothing of the group. */
  readonly sources: readonly SourceId[];
  readonly heldMs: number;
  readonly lost: number;
  /** Only holds that were seen from beginning to end; `null`: none was. */
  readonly holds: SpanFigures | null;
  readonly waits: SpanFigures | null;
  /** By their beginning. Cells without a held or lost hold are left out. */
  readonly cells: readonly FiguresCell[];
}

/** The answer of `GET /api/v1/history/figures`. */
export interface HistoryFigures {
  readonly from: number;
  readonly to: number;
  /** Length of a cell, in whole hours. Each cell begins at a multiple of it. */
  readonly cellMs: number;
  /**
   * All is counted from this instant. It is later than `from` when holds are kept only since then, or were too many to
   * read. It is `to` when nothing may be read.
   */
  readonly countedFromMs: number;
  readonly off: boolean;
  readonly gaps: readonly Gap[];
  /** Sorted by the order of the query, the worst first; at most `groupsMax`. */
  readonly groups: readonly FiguresGroup[];
  /** The number of names in the last group, which has no name; `null`: too many to count. */
  readonly groupsMore: number | null;
}

/** The first key of the order: held time, or lost holds. */
export const figuresOrders = ['held', 'lost'] as const;
export type FiguresOrder = (typeof figuresOrders)[number];

export const groupsMax = 16;
/** Further names share one group, because each name costs memory. */
const namesMax = 5_000;
/** A week in cells of three hours, each of which falls on one part of a night. */
const cellsMax = 57;
const cellHours = [1, 3, 6, 24] as const;

/** The shortest cell that keeps their number in a range bounded. */
export const cellMsOf = (lengthMs: number): number =>
  (cellHours.find((hours) => lengthMs / (hours * hourLengthMs) <= cellsMax) ?? 24) * hourLengthMs;

/** The part of a name up to and with the next separator after the prefix: `jobs/` of `jobs/a/b`. */
export function partOfName(name: string, prefix = ''): string {
  // Names of ZooKeeper begin with the separator.
  const begin = prefix === '' && name.startsWith('/') ? 1 : prefix.length;
  const rest = /[/:]/.exec(name.slice(begin));
  return rest === null ? name : name.slice(0, begin + rest.index + 1);
}

interface Draft {
  readonly cells: Map<number, { heldMs: number; lost: number }>;
  readonly sources: Set<SourceId>;
  heldMs: number;
  lost: number;
  holds: Spread;
  waits: Spread;
}

const spanFigures = (spread: Spread): SpanFigures | null =>
  wholeIn(spread) === 0
    ? null
    : {
        n: wholeIn(spread),
        p50Ms: percentile(spread, 0.5),
        p95Ms: percentile(spread, 0.95),
        p99Ms: percentile(spread, 0.99),
        maxMs: spread.maxMs,
      };

const empty = (): Draft => ({
  cells: new Map(),
  sources: new Set(),
  heldMs: 0,
  lost: 0,
  holds: noSpread,
  waits: noSpread,
});

/** The unseen time before an instant, for spans in order and apart. */
function unseenBefore(spans: readonly Span[]): (atMs: number) => number {
  const sums = [0];
  for (const [fromMs, toMs] of spans) sums.push((sums.at(-1) ?? 0) + toMs - fromMs);
  return (atMs) => {
    let [low, high] = [0, spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((spans[middle]?.[0] ?? 0) < atMs) low = middle + 1;
      else high = middle;
    }
    const [, endMs] = spans[low - 1] ?? [0, 0];
    return (sums[low] ?? 0) - (low === 0 ? 0 : Math.max(0, endMs - atMs));
  };
}

export interface FiguresKept {
  /** Gaps of all sources, in which holds are unknown. */
  readonly gaps: readonly Pick<Gap, 'source' | 'fromMs' | 'toMs'>[];
  /** Later events are not written, so an open hold counts until then. */
  readonly writtenUntilMs: number;
}

/** Counts holds and waits in any order. */
export class FiguresBook {
  private readonly drafts = new Map<string | null, Draft>();
  private readonly unseen = new Map<SourceId, (atMs: number) => number>();
  private readonly untilMs: number;
  readonly cellMs: number;

  constructor(
    private readonly prefix: string,
    private readonly range: { readonly fromMs: number; readonly toMs: number },
    { gaps, writtenUntilMs }: FiguresKept,
  ) {
    this.cellMs = cellMsOf(range.toMs - range.fromMs);
    this.untilMs = writtenUntilMs;
    for (const source of new Set(gaps.map((gap) => gap.source)))
      this.unseen.set(
        source,
        unseenBefore(
          joined(
            gaps
              .filter((gap) => gap.source === source)
              .map((gap): Span => [gap.fromMs, gap.toMs ?? range.toMs]),
          ),
        ),
      );
  }

  hold(hold: Hold): void {
    const draft = this.draftOf(hold);
    const { fromMs, toMs } = this.range;
    const beginMs = Math.max(fromMs, hold.from.atMs);
    const endMs = Math.min(toMs, hold.to?.atMs ?? this.untilMs);
    const unseen = this.unseen.get(hold.subject.source) ?? (() => 0);
    for (let atMs = this.cellOf(beginMs); atMs < endMs; atMs += this.cellMs) {
      const [first, last] = [Math.max(beginMs, atMs), Math.min(endMs, atMs + this.cellMs)];
      const heldMs = last - first - (unseen(last) - unseen(first));
      if (heldMs > 0) this.add(draft, atMs, heldMs, 0);
    }
    if (hold.to !== null && hold.to.atMs >= fromMs && hold.to.atMs <= toMs) {
      if (wasLost(hold)) this.add(draft, this.cellOf(hold.to.atMs), 0, 1);
      if (wasSeenWhole(hold)) draft.holds = bucketed(draft.holds, lastedMs(hold, this.untilMs));
    }
  }

  wait(wait: Wait): void {
    const { from, to } = wait;
    if (to === null || !wasSeenWhole(wait)) return;
    if (to.atMs < this.range.fromMs || to.atMs > this.range.toMs) return;
    const draft = this.draftOf(wait);
    draft.waits = bucketed(draft.waits, Math.max(0, to.atMs - from.atMs));
  }

  /** Adds holds and waits that are only counted, at the hour of their end. */
  hour(hour: HourBook): void {
    const draft = this.draftOf(hour);
    this.add(draft, this.cellOf(hour.hourMs), hour.holds.sumMs, hour.lost);
    draft.holds = spreadOf(draft.holds, hour.holds);
    draft.waits = spreadOf(draft.waits, hour.waits);
  }

  /** The other order, then the name, break ties. */
  groups(order: FiguresOrder = 'held'): Pick<HistoryFigures, 'groups' | 'groupsMore'> {
    const rest = this.drafts.get(null);
    const [first, second] = order === 'held' ? (['heldMs', 'lost'] as const) : (['lost', 'heldMs'] as const);
    const named = [...this.drafts]
      .filter(([name]) => name !== null)
      .sort(
        ([a, x], [b, y]) => y[first] - x[first] || y[second] - x[second] || ((a ?? '') < (b ?? '') ? -1 : 1),
      );
    const room = named.length > groupsMax || rest !== undefined ? groupsMax - 1 : groupsMax;
    const further = named.slice(room).map(([, draft]) => draft);
    const others = [...further, ...(rest === undefined ? [] : [rest])];
    return {
      groups: [
        ...named.slice(0, room).map(([name, draft]) => groupOf(name, draft)),
        ...(others.length === 0 ? [] : [groupOf(null, others.reduce(together))]),
      ],
      groupsMore: rest === undefined ? further.length : null,
    };
  }

  private cellOf(atMs: number): number {
    return Math.floor(atMs / this.cellMs) * this.cellMs;
  }

  private add(draft: Draft, atMs: number, heldMs: number, lost: number): void {
    const cell = draft.cells.get(atMs) ?? { heldMs: 0, lost: 0 };
    draft.cells.set(atMs, cell);
    cell.heldMs += heldMs;
    cell.lost += lost;
    draft.heldMs += heldMs;
    draft.lost += lost;
  }

  private draftOf(of: Hold | Wait | HourBook): Draft {
    const part = partOfName(nameOf(of), this.prefix);
    const key = this.drafts.has(part) || this.drafts.size < namesMax ? part : null;
    const known = this.drafts.get(key) ?? empty();
    this.drafts.set(key, known);
    known.sources.add(of.subject.source);
    return known;
  }
}

const nameOf = ({ subject }: Hold | Wait | HourBook): string =>
  subject.kind === 'lock' ? subject.key : subject.prefix;

function together(a: Draft, b: Draft): Draft {
  const cells = new Map([...a.cells].map(([atMs, cell]) => [atMs, { ...cell }]));
  for (const [atMs, { heldMs, lost }] of b.cells) {
    const cell = cells.get(atMs) ?? { heldMs: 0, lost: 0 };
    cells.set(atMs, { heldMs: cell.heldMs + heldMs, lost: cell.lost + lost });
  }
  return {
    cells,
    sources: new Set([...a.sources, ...b.sources]),
    heldMs: a.heldMs + b.heldMs,
    lost: a.lost + b.lost,
    holds: spreadOf(a.holds, b.holds),
    waits: spreadOf(a.waits, b.waits),
  };
}

const groupOf = (
  name: string | null,
  { cells, sources, heldMs, lost, holds, waits }: Draft,
): FiguresGroup => ({
  name,
  sources: [...sources].sort(),
  heldMs,
  lost,
  holds: spanFigures(holds),
  waits: spanFigures(waits),
  cells: [...cells].map(([atMs, cell]) => ({ atMs, ...cell })).sort((a, b) => a.atMs - b.atMs),
});
