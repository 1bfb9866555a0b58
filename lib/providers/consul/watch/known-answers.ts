/**
 * Remembers Consul's answers about single names, and finds the names to ask for. A change of rights wakes no query, so a
 * name that was hidden from the token is asked for again after 30 s. Other answers stay.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runInSlices, type Steps } from '@/lib/domain/sliced-work';

/** Names per batch, and per look. Of the hidden names, no more are asked for again in 30 s unless one is readable. */
const batchSize = 32;
const asksMax = 256;
const moreMs = 250;
/** Consul caches rights for this time. */
const hiddenForMs = 30_000;

/** Kept between looks. */
export interface Answers {
  /** Names with an answer that stays. */
  readonly plain: Set<string>;
  /** Names that the token may not read, the oldest answer first. */
  readonly hidden: Set<string>;
  /** Epoch milliseconds of the last question about hidden names, or of the last look without any. */
  hiddenAskedMs: number;
}

export const newAnswers = (): Answers => ({ plain: new Set(), hidden: new Set(), hiddenAskedMs: 0 });

export interface OpenNames {
  readonly names: readonly string[];
  /** Other names are to be asked for at the next look. */
  readonly more: boolean;
}

/** The names in question. */
type Wanted = ReadonlySet<string> | ReadonlyMap<string, unknown>;

const glance = 0.05;

function* opening(wanted: Wanted, answers: Answers, nowMs: number): Steps<OpenNames> {
  const { plain, hidden } = answers;
  for (const known of [plain, hidden])
    for (const name of known) {
      if (!wanted.has(name)) known.delete(name);
      yield glance;
    }
  if (hidden.size === 0) answers.hiddenAskedMs = nowMs;
  // A clock that was set back prolongs no answer.
  const isDue = Math.abs(nowMs - answers.hiddenAskedMs) >= hiddenForMs;
  const names = isDue ? [...hidden].slice(0, asksMax) : [];
  for (const name of wanted.keys()) {
    if (!plain.has(name) && !hidden.has(name)) names.push(name);
    if (names.length > asksMax) break;
    yield glance;
  }
  return { names: names.slice(0, asksMax), more: names.length > asksMax };
}

/** The names to ask for now. Drops the answers for names that are no longer in question. */
export const openNames = (wanted: Wanted, answers: Answers, nowMs: number) =>
  runInSlices(opening(wanted, answers, nowMs), yieldToEventLoop);

/**
 * Asks for the names, and notes the answers. `isHidden` resolves to `null` for an answer that does not last. Resolves to
 * the instant to ask again, although Consul will not wake the watch; `null`: never. Throws the errors of `isHidden`.
 */
export async function askOpen(
  { names, more }: OpenNames,
  answers: Answers,
  isHidden: (name: string) => Promise<boolean | null>,
  nowMs: number,
): Promise<number | null> {
  const { plain, hidden } = answers;
  let asksHidden = false;
  let foundReadable = false;
  for (let at = 0; at < names.length; at += batchSize)
    await Promise.all(
      names.slice(at, at + batchSize).map(async (name) => {
        const answer = await isHidden(name);
        const wasHidden = hidden.delete(name);
        if (answer !== null) (answer ? hidden : plain).add(name);
        asksHidden ||= wasHidden;
        foundReadable ||= wasHidden && answer === false;
      }),
    );
  // A right that was granted mostly uncovers more names.
  if (asksHidden && !foundReadable) answers.hiddenAskedMs = nowMs;
  if (more || (foundReadable && hidden.size > 0)) return nowMs + moreMs;
  return hidden.size > 0 ? Math.min(answers.hiddenAskedMs, nowMs) + hiddenForMs : null;
}
