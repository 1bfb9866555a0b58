/**
 * Finds the semaphores of which the token may read only a part. Consul leaves out of a list what may not be read, and
 * before 1.11 without a word: a living holder whose entry is left out would look like a ghost, for a ghost is a record
 * without an entry. Asking for that one entry tells: it is refused when it may not be read, and missing when it is
 * not there.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { inSlices, type Steps } from '@/lib/domain/steps';

/** Entries asked for at a time, and in one look: a prefix beyond that stays in doubt until the next. */
const batchSize = 32;
const asksMax = 256;

export interface Unread {
  /** Prefixes, without slash, that prove no absence. */
  readonly prefixes: ReadonlySet<string>;
  /** Not everything was asked. */
  readonly more: boolean;
}

/** Of a map or a set that may be long: one that is only looked at is a small part of one that is judged. */
const glance = 0.05;

/** What is left of `asked`, and those that were not asked so far, up to one more than are asked in one look. */
function* openOf(missed: ReadonlyMap<string, string>, asked: Map<string, boolean>): Steps<readonly string[]> {
  for (const key of asked.keys()) {
    if (!missed.has(key)) asked.delete(key);
    yield glance;
  }
  const open: string[] = [];
  for (const key of missed.keys()) {
    if (!asked.has(key)) open.push(key);
    if (open.length > asksMax) break;
    yield glance;
  }
  return open;
}

function* prefixesOf(
  missed: ReadonlyMap<string, string>,
  asked: ReadonlyMap<string, boolean>,
): Steps<ReadonlySet<string>> {
  const prefixes = new Set<string>();
  for (const [key, prefix] of missed) {
    if (asked.get(key) !== false) prefixes.add(prefix);
    yield glance;
  }
  return prefixes;
}

/**
 * `missed`: entries of recorded holders that are not there, with their prefix. `asked` remembers each entry's answer, true
 * for one that may not be read; it is added to, and forgets entries that nothing is missed of any more. Throws what
 * `refused` throws.
 */
export async function unreadPrefixes(
  missed: ReadonlyMap<string, string>,
  refused: (key: string, signal: AbortSignal) => Promise<boolean>,
  asked: Map<string, boolean>,
  signal: AbortSignal,
): Promise<Unread> {
  const open = await inSlices(openOf(missed, asked), yieldToEventLoop);
  const now = open.slice(0, asksMax);
  for (let at = 0; at < now.length; at += batchSize)
    await Promise.all(
      now.slice(at, at + batchSize).map(async (key) => {
        asked.set(key, await refused(key, signal));
      }),
    );
  const prefixes = await inSlices(prefixesOf(missed, asked), yieldToEventLoop);
  return { prefixes, more: open.length > now.length };
}
