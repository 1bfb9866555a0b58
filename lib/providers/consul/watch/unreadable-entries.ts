/**
 * Finds the semaphores that the token may read only in part. Consul omits unreadable entries from a list, before 1.11
 * without a sign, and a live holder without its entry would look like a ghost. A request for the entry decides, because
 * Consul refuses an unreadable entry, and reports an absent one as missing.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runInSlices, type Steps } from '@/lib/domain/sliced-work';

/** Entries per batch, and per look; later prefixes stay in doubt until the next look. */
const batchSize = 32;
const asksMax = 256;

export interface Unread {
  /** Prefixes, without a slash, in which an absent entry may be hidden. */
  readonly prefixes: ReadonlySet<string>;
  /** Some entries are to be asked for at the next look. */
  readonly more: boolean;
}

const glance = 0.05;

/** Prunes `answers`, and lists the entries not asked for yet, up to one more than a look asks for. */
function* openOf(
  missed: ReadonlyMap<string, string>,
  answers: Map<string, boolean>,
): Steps<readonly string[]> {
  for (const key of answers.keys()) {
    if (!missed.has(key)) answers.delete(key);
    yield glance;
  }
  const open: string[] = [];
  for (const key of missed.keys()) {
    if (!answers.has(key)) open.push(key);
    if (open.length > asksMax) break;
    yield glance;
  }
  return open;
}

function* prefixesOf(
  missed: ReadonlyMap<string, string>,
  answers: ReadonlyMap<string, boolean>,
): Steps<ReadonlySet<string>> {
  const prefixes = new Set<string>();
  for (const [key, prefix] of missed) {
    if (answers.get(key) !== false) prefixes.add(prefix);
    yield glance;
  }
  return prefixes;
}

/**
 * `missed`: absent entries of recorded holders, with their prefix. `answers`: the answers so far, true for an unreadable
 * entry. This call adds to them, and drops those that no longer matter. Throws the errors of `refused`.
 */
export async function unreadPrefixes(
  missed: ReadonlyMap<string, string>,
  refused: (key: string, signal: AbortSignal) => Promise<boolean>,
  answers: Map<string, boolean>,
  signal: AbortSignal,
): Promise<Unread> {
  const open = await runInSlices(openOf(missed, answers), yieldToEventLoop);
  const now = open.slice(0, asksMax);
  for (let at = 0; at < now.length; at += batchSize)
    await Promise.all(
      now.slice(at, at + batchSize).map(async (key) => {
        answers.set(key, await refused(key, signal));
      }),
    );
  const prefixes = await runInSlices(prefixesOf(missed, answers), yieldToEventLoop);
  return { prefixes, more: open.length > now.length };
}
