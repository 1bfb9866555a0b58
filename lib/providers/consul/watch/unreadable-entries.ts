/**
 * Finds the semaphores that the token may read only in part. Consul omits unreadable entries from a list, before 1.11
 * without a sign, and a live holder without its entry would look like a ghost. A request for the entry decides, because
 * Consul refuses an unreadable entry, and reports an absent one as missing.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runInSlices, type Steps } from '@/lib/domain/sliced-work';
import { type Answers, askOpen, openNames } from './known-answers';

export interface Unread {
  /** Prefixes, without a slash, in which an absent entry may be hidden. */
  readonly prefixes: ReadonlySet<string>;
  /** The instant to ask again, although Consul will not wake the watch; `null`: never. */
  readonly askAtMs: number | null;
}

const glance = 0.05;

/** A prefix stays in doubt until all its entries were asked for. */
function* prefixesOf(missed: ReadonlyMap<string, string>, { plain }: Answers): Steps<ReadonlySet<string>> {
  const prefixes = new Set<string>();
  for (const [key, prefix] of missed) {
    if (!plain.has(key)) prefixes.add(prefix);
    yield glance;
  }
  return prefixes;
}

/**
 * `missed`: absent entries of recorded holders, with their prefix. Updates `answers`, the answers so far. Throws the
 * errors of `refused`.
 */
export async function unreadPrefixes(
  missed: ReadonlyMap<string, string>,
  refused: (key: string, signal: AbortSignal) => Promise<boolean>,
  answers: Answers,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<Unread> {
  const open = await openNames(missed, answers, nowMs);
  const askAtMs = await askOpen(open, answers, (key) => refused(key, signal), nowMs);
  return { prefixes: await runInSlices(prefixesOf(missed, answers), yieldToEventLoop), askAtMs };
}
