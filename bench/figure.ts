/** What a benchmark says: figures, each beside what it is compared with, measured in the same run. */

/** One row of a table. */
export interface Figure {
  /** As `median, 1,000 keys in view`. */
  readonly what: string;
  /** What this console did, with its unit: `3.1 ms`. */
  readonly ours: string;
  /** What it is compared with, with its unit: `2.0 ms`. */
  readonly compared: string;
  /** Ours by the compared; `null` where a ratio says nothing. */
  readonly ratio: number | null;
  /** The standard error of the ratio, where it was measured often enough to tell. */
  readonly ratioError?: number;
  /** In words: `<= 1.5x`; `null` for a figure that is told for its own sake. */
  readonly goal: string | null;
  /** `null` without a goal. */
  readonly met: boolean | null;
}

export interface Table {
  /** What the columns "ours" and "compared" hold here: `bare blocking query`. */
  readonly compared: string;
  readonly figures: readonly Figure[];
  /** Sentences for below the table: what was seen on the way that a reader of the figures has to know. */
  readonly notes?: readonly string[];
}

/** A program that measures. Each runs in a process of its own, after what it needs was built. */
export interface Bench {
  readonly title: string;
  /** What is done, how often, and what is taken as the time: enough to judge the figures by. Markdown. */
  readonly about: string;
  run(stage: BenchStage): Promise<Table>;
}

export interface BenchStage {
  /** A line on the terminal while it runs. */
  say(text: string): void;
  /** Calls `end` when the bench is over, however it ends; the last one first. */
  defer(end: () => unknown): void;
}

/** The `q` quantile (0 to 1) of some samples, by nearest rank. Throws for none. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))];
  if (found === undefined) throw new Error('A quantile of nothing was asked for.');
  return found;
}

/** Milliseconds as people read them. */
export const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value).toString()} ms`;

/** Bytes as people read them. */
export const bytes = (value: number) =>
  value < 10_000
    ? `${Math.round(value)} B`
    : value < 10_000_000
      ? `${(value / 1000).toFixed(1)} kB`
      : `${(value / 1_000_000).toFixed(1)} MB`;

/** A figure whose goal is a ratio that must not be exceeded. `show`: how a value is written. */
export function atMost(
  what: string,
  {
    ours,
    compared,
    max,
    show,
  }: { ours: number; compared: number; max: number; show: (value: number) => string },
): Figure {
  const ratio = ours / compared;
  return {
    what,
    ours: show(ours),
    compared: show(compared),
    ratio,
    goal: `<= ${max}x`,
    met: ratio <= max,
  };
}
