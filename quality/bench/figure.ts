/** A benchmark's result: figures, each beside a comparison from the same run. */

/** A bound on a figure, and what came of it. */
export interface Goal {
  /** `<= 1.5x`. */
  readonly text: string;
  readonly met: boolean;
  /** Markdown: `met`, or `**missed** by 0.3x (20 %)`. */
  readonly verdict: string;
}

/** One row of a table. */
export interface Figure {
  /** As `median, 1,000 keys in view`. */
  readonly what: string;
  /** This console's, with its unit: `3.1 ms`. */
  readonly ours: string;
  /** The comparison's, with its unit: `2.0 ms`. */
  readonly compared: string;
  /** Ours by the compared; `null` where a ratio says nothing. */
  readonly ratio: number | null;
  /** The standard error of the ratio, where enough repetitions give one. */
  readonly ratioError?: number;
  /** `null` for a figure that is shown for its own sake. */
  readonly goal: Goal | null;
}

export interface Table {
  /** Titles of the columns "ours" and "compared": `bare blocking query`. */
  readonly compared: string;
  readonly figures: readonly Figure[];
  /** Sentences below the table: observations that a reader of the figures needs. */
  readonly notes?: readonly string[];
}

/** A program that measures. Each runs in a process of its own, after what it needs was built. */
export interface Bench {
  readonly title: string;
  /** What is done, how often, and what counts as the time: enough to judge the figures by. Markdown. */
  readonly about: string;
  /** What runs before anything counts, and what never counts. Stands in the head of the page. Markdown. */
  readonly excluded: string;
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
export const ms = (value: number) =>
  `${Math.abs(value) < 10 ? value.toFixed(1) : Math.round(value).toString()} ms`;

/** Bytes as people read them. */
export const bytes = (value: number) =>
  value < 10_000
    ? `${Math.round(value)} B`
    : value < 10_000_000
      ? `${(value / 1000).toFixed(1)} kB`
      : `${(value / 1_000_000).toFixed(1)} MB`;

/** A ratio as people read it. */
export const times = (value: number) =>
  `${value >= 10 ? Math.round(value) : value < 0.01 && value > 0 ? value.toPrecision(1) : value.toFixed(2)}x`;

type Show = (value: number) => string;

/** Decides every goal. `text`: where the bound alone does not say it. */
export function goalOf(
  value: number,
  sign: '<=' | '>=',
  bound: number,
  { show, text = `${sign} ${show(bound)}` }: { show: Show; text?: string },
): Goal {
  if (!Number.isFinite(value) || !Number.isFinite(bound))
    throw new Error(`The goal ${text} was laid on what is no number.`);
  const met = sign === '<=' ? value <= bound : value >= bound;
  const off = Math.abs(value - bound);
  const share =
    bound === 0 ? '' : ` (${((100 * off) / Math.abs(bound)).toFixed(off < bound / 10 ? 1 : 0)} %)`;
  return { text, met, verdict: met ? 'met' : `**missed** by ${show(off)}${share}` };
}

export interface Values {
  readonly ours: number;
  /** `null`: it has nothing beside it. */
  readonly compared: number | null;
  /** How a value is written. */
  readonly show: Show;
}

/** A figure without a goal. */
export function plainFigure(what: string, { ours, compared, show }: Values): Figure {
  return {
    what,
    ours: show(ours),
    compared: compared === null ? '-' : show(compared),
    ratio: compared === null || compared <= 0 ? null : ours / compared,
    goal: null,
  };
}

/** A figure whose ratio must not exceed `max`. */
export function atMost(what: string, { max, ...values }: Values & { compared: number; max: number }): Figure {
  const goal = goalOf(values.ours / values.compared, '<=', max, { show: times, text: `<= ${max}x` });
  return { ...plainFigure(what, values), goal };
}

/** A figure that must not exceed `max` itself. `text`: as of `goalOf`. */
export function noMoreThan(
  what: string,
  { max, text, ...values }: Values & { max: number; text?: string },
): Figure {
  const words = text === undefined ? {} : { text };
  return { ...plainFigure(what, values), goal: goalOf(values.ours, '<=', max, { ...values, ...words }) };
}
