/** A benchmark's result: figures, each beside a comparison from the same run. */

/** A bound on a figure, and its outcome. */
export interface Goal {
  /** `<= 1.5x`. */
  readonly text: string;
  readonly met: boolean;
  /** Markdown: `met`, or `**missed** by 0.3x (20 %)`. */
  readonly verdict: string;
}

/** One row of a table. */
export interface Figure {
  /** Such as `median, 1,000 keys in view`. */
  readonly what: string;
  /** This console's value, with its unit: `3.1 ms`. */
  readonly ours: string;
  /** The comparison's value, with its unit: `2.0 ms`. */
  readonly compared: string;
  /** Ours divided by the compared; `null` where a ratio says nothing. */
  readonly ratio: number | null;
  /** The standard error of the ratio, where enough repetitions give one. */
  readonly ratioError?: number;
  /** `null`: the figure has no goal. */
  readonly goal: Goal | null;
}

export interface Table {
  /** Titles of the columns "ours" and "compared": `bare blocking query`. */
  readonly compared: string;
  readonly figures: readonly Figure[];
  /** Sentences below the table: observations that a reader of the figures needs. */
  readonly notes?: readonly string[];
}

/** A program that measures. Each runs in a process of its own, after its builds. */
export interface Bench {
  readonly title: string;
  /** The steps, their number, and the measured time: enough to judge the figures by. Markdown. */
  readonly about: string;
  /** Uncounted runs and uncounted work, for the head of the page. Markdown. */
  readonly excluded: string;
  run(stage: BenchStage): Promise<Table>;
}

export interface BenchStage {
  say(text: string): void;
  /** Calls `end` when the bench is over, however it ends, in reverse order. */
  defer(end: () => unknown): void;
}

/** The `q` quantile (0 to 1) of the samples, by nearest rank. Throws for none. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))];
  if (found === undefined) throw new Error('A quantile of nothing was asked for.');
  return found;
}

/** Milliseconds in a readable form. */
export const ms = (value: number) =>
  `${Math.abs(value) < 10 ? value.toFixed(1) : Math.round(value).toString()} ms`;

/** Bytes in a readable form. */
export const bytes = (value: number) =>
  value < 10_000
    ? `${Math.round(value)} B`
    : value < 10_000_000
      ? `${(value / 1000).toFixed(1)} kB`
      : `${(value / 1_000_000).toFixed(1)} MB`;

/** A ratio in a readable form. */
export const times = (value: number) =>
  `${value >= 10 ? Math.round(value) : value < 0.01 && value > 0 ? value.toPrecision(1) : value.toFixed(2)}x`;

type Show = (value: number) => string;

/** Decides every goal. `text`: the words, where the bound alone is not enough. */
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
  /** `null`: there is no comparison. */
  readonly compared: number | null;
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

/** A figure that must not exceed `max` itself. `text`: as for `goalOf`. */
export function noMoreThan(
  what: string,
  { max, text, ...values }: Values & { max: number; text?: string },
): Figure {
  const words = text === undefined ? {} : { text };
  return { ...plainFigure(what, values), goal: goalOf(values.ours, '<=', max, { ...values, ...words }) };
}
