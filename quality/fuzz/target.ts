/**
 * One kind of bad input, and its guarantee. A target gets many thousand inputs from a seed. A failing input is made as
 * small as possible before it is reported.
 */
import fc from 'fast-check';

export type Verdict = 'taken' | 'refused';

export interface Target<T = unknown> {
  /** The name in `npm run fuzz -- --only <name>`. */
  readonly name: string;
  /** The guarantee for every input, in one sentence. */
  readonly guarantee: string;
  readonly inputs: fc.Arbitrary<T>;
  /**
   * Throws when the guarantee is broken. Returns a `Verdict` where inputs may be refused: if all are refused, nothing
   * behind the refusal was tested.
   */
  readonly check: (input: T) => unknown;
  /** Fewest cases of a run without a given number. */
  readonly casesMin?: number;
  /** Cases of this target for each case of a cheap one, at most 1. */
  readonly share?: number;
}

/** Drops the type of the inputs, so that one list can contain all targets. */
export const target = <T>(of: Target<T>): Target => of as unknown as Target;

/** Fails the present case. */
export function claim(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export interface Result {
  readonly name: string;
  readonly cases: number;
  /** The number of accepted cases; `null`: none can be refused. */
  readonly taken: number | null;
  readonly tookMs: number;
  /** The longest time that one input blocked the event loop or, if asynchronous, took. */
  readonly slowestMs: number;
  /** That input, cut short. */
  readonly slowest: string;
  /** `null`: the guarantee held. */
  readonly broken: Broken | null;
}

export interface Broken {
  readonly seed: number;
  /** The place of the smallest case in the seed's sequence. */
  readonly path: string;
  readonly smallest: string;
  readonly error: string;
  /** The command that repeats the failure. */
  readonly again: string;
}

/** Most cases of one seed. Later cases have the next seed. */
export const chunkMax = 20_000;

/** Bytes as text, because a list of numbers is not readable. */
function legible(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return `latin1 ${value.toString('latin1')}`;
  if (Array.isArray(value)) return value.map(legible);
  if (typeof value !== 'object' || value === null) return value;
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, legible(of)]));
}

const told = (value: unknown): string => {
  const text = fc.stringify(legible(value));
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
};

/** Checks `cases` inputs. `path`: the only case, to repeat it. */
export async function assail(
  { name, inputs, check }: Target,
  { cases, seed, path }: { cases: number; seed: number; path?: string },
): Promise<Result> {
  let done = 0;
  let taken: number | null = null;
  let slowestMs = 0;
  let slowest: unknown = null;
  const timed = async (input: unknown) => {
    const before = performance.now();
    try {
      const verdict = await check(input);
      if (verdict === 'taken' || verdict === 'refused') taken = (taken ?? 0) + (verdict === 'taken' ? 1 : 0);
    } finally {
      const tookMs = performance.now() - before;
      done += 1;
      if (tookMs > slowestMs) {
        slowestMs = tookMs;
        slowest = input;
      }
    }
  };
  const started = performance.now();
  let broken: Broken | null = null;
  for (let chunk = 0; chunk * chunkMax < cases && broken === null; chunk += 1) {
    const own = seed + chunk;
    const result = await fc.check(fc.asyncProperty(inputs, timed), {
      seed: own,
      numRuns: path === undefined ? Math.min(chunkMax, cases - chunk * chunkMax) : 1,
      // A failure must be reported, and not use up the hour.
      interruptAfterTimeLimit: 10 * 60_000,
      ...(path === undefined ? {} : { path }),
    });
    if (!result.failed) continue;
    const { counterexamplePath, counterexample, errorInstance } = result;
    const at = counterexamplePath ?? '';
    broken = {
      seed: own,
      path: at,
      smallest: told(counterexample?.[0]),
      error: errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : 'interrupted',
      again: `npm run fuzz -- --only ${name} --seed ${own} --path ${at}`,
    };
  }
  return {
    name,
    cases: done,
    taken,
    tookMs: performance.now() - started,
    slowestMs,
    slowest: slowest === null ? '' : told(slowest),
    broken,
  };
}

/**
 * The least share of accepted inputs, where some can be refused. Below it nearly nothing behind the refusal was tried. Fewer
 * cases may all be refused by chance, and one that is tried again may be refused by now.
 */
const takenMin = { share: 0.01, cases: 500 };

/** The failure in a readable form; '' for none. */
export function brokenText({ broken, taken, cases }: Result): string {
  if (broken !== null) return `${broken.smallest}\n${broken.error}\nagain: ${broken.again}`;
  return taken !== null && cases >= takenMin.cases && taken < cases * takenMin.share
    ? `only ${taken} of ${cases} inputs were taken`
    : '';
}

/** The share of accepted inputs, as `12 %`; `null`: none can be refused. */
export const takenShare = ({ taken, cases }: Pick<Result, 'taken' | 'cases'>): string | null =>
  taken === null ? null : `${((100 * taken) / Math.max(1, cases)).toFixed(taken * 20 < cases ? 1 : 0)} %`;
