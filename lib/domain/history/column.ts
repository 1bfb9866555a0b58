/**
 * The last hour of one lock or semaphore as the board draws it. One path shows the share of each minute in which it was
 * held. Unseen minutes have no path, not even that of an idle minute.
 */
import type { Gap, Hold, HourFigures } from './episode';
import { hourLengthMs } from './hour-book';

export const columnMs = hourLengthMs;
export const columnWidth = 60;
export const columnHeight = 16;
const partMs = columnMs / columnWidth;
/** An idle minute is a line. */
const idleHeight = 1;

export interface HourColumn {
  /** In a box of `columnWidth` by `columnHeight`, the present at its right. */
  readonly path: string;
  /** Share of the seen time, 0 to 1; `null`: no part of the hour was seen. */
  readonly heldShare: number | null;
  /** The part of the hour that was seen. */
  readonly seenMs: number;
  /** Most waiters during one of its holds; `null`: unknown. */
  readonly waitersMax: number | null;
  /** Some holds are only counted, and their share is spread evenly over their hour. */
  readonly counted: boolean;
}

/** The answer of `POST /api/v1/history/columns`. */
export interface ColumnsAnswer {
  readonly at: number;
  /** True with `SIGNALBOX_HISTORY=off`. */
  readonly off: boolean;
  /** The instant since which the store does not answer and nothing is kept; `null`: it is kept. */
  readonly awaySinceMs: number | null;
  /** By subject. Subjects that the caller may not read are absent. */
  readonly columns: Readonly<Record<string, HourColumn>>;
}

/** More than the rows of a screen. */
export const columnsMax = 200;

export interface ColumnFacts {
  readonly holds: readonly Pick<Hold, 'from' | 'to' | 'waitersMax'>[];
  /** The gaps of its source. */
  readonly gaps: readonly Pick<Gap, 'fromMs' | 'toMs'>[];
  readonly hours: readonly Pick<HourFigures, 'hourMs' | 'heldMs' | 'holds'>[];
  /** All of its holds since this instant are here. */
  readonly fromMs: number;
  /** Later events are not written yet. */
  readonly untilMs: number;
}

export type Span = readonly [fromMs: number, toMs: number];

/** Merges spans that touch; the result is in order. */
export function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const [fromMs, toMs] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last !== undefined && fromMs <= last[1]) all[all.length - 1] = [last[0], Math.max(last[1], toMs)];
    else if (toMs > fromMs) all.push([fromMs, toMs]);
  }
  return all;
}

const within = (spans: readonly Span[], fromMs: number, toMs: number): readonly Span[] =>
  spans
    .map(([from, to]): Span => [Math.max(from, fromMs), Math.min(to, toMs)])
    .filter(([from, to]) => to > from);

const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, [from, to]) => sum + to - from, 0);

/** The parts of a time outside of `spans`, which are in order and apart. */
function between(spans: readonly Span[], fromMs: number, toMs: number): readonly Span[] {
  const left: Span[] = [];
  let at = fromMs;
  for (const [from, to] of within(spans, fromMs, toMs)) {
    if (from > at) left.push([at, from]);
    at = to;
  }
  if (toMs > at) left.push([at, toMs]);
  return left;
}

/** Draws the hour that ends at `atMs`. */
export function columnOf({ holds, gaps, hours, fromMs, untilMs }: ColumnFacts, atMs: number): HourColumn {
  const startMs = atMs - columnMs;
  const unseen = joined([
    ...gaps.map((gap): Span => [gap.fromMs, gap.toMs ?? atMs]),
    [startMs, Math.max(startMs, fromMs)],
    [Math.min(atMs, untilMs), atMs],
  ]);
  const seen = between(unseen, startMs, atMs);
  const held = joined(holds.map(({ from, to }): Span => [from.atMs, to?.atMs ?? atMs]));
  const counted = hours.filter(({ holds: n }) => n > 0);
  let path = '';
  let run: { readonly x: number; readonly height: number } | null = null;
  const flush = (x: number) => {
    if (run !== null) path += `M${run.x} ${columnHeight}V${columnHeight - run.height}H${x}V${columnHeight}Z`;
    run = null;
  };
  let heldMs = 0;
  for (let x = 0; x < columnWidth; x += 1) {
    const [from, to] = [startMs + x * partMs, startMs + (x + 1) * partMs];
    const seenPart = within(seen, from, to);
    const seenMs = lengthOf(seenPart);
    if (seenMs === 0) {
      flush(x);
      continue;
    }
    const ownMs = seenPart.reduce((sum, [a, b]) => sum + lengthOf(within(held, a, b)), 0);
    const rate = counted.reduce(
      (sum, hour) => (from < hour.hourMs + hourLengthMs && to > hour.hourMs ? sum + rateOf(hour, atMs) : sum),
      0,
    );
    const level = Math.min(1, ownMs / seenMs + rate);
    heldMs += level * seenMs;
    const height = level === 0 ? idleHeight : Math.max(idleHeight + 1, Math.round(level * columnHeight));
    if (run !== null && (run as { height: number }).height !== height) flush(x);
    run ??= { x, height };
  }
  flush(columnWidth);
  const seenMs = lengthOf(seen);
  const waits = holds.flatMap(({ waitersMax, to }) =>
    waitersMax === null || (to !== null && to.atMs < startMs) ? [] : [waitersMax],
  );
  return {
    path,
    heldShare: seenMs === 0 ? null : heldMs / seenMs,
    seenMs,
    waitersMax: waits.length === 0 ? null : Math.max(...waits),
    counted: counted.length > 0,
  };
}

/** The present hour can only have counted its past part. */
const rateOf = (hour: ColumnFacts['hours'][number], atMs: number): number =>
  hour.heldMs / Math.max(partMs, Math.min(atMs, hour.hourMs + hourLengthMs) - hour.hourMs);
