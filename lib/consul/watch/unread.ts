/**
 * Finds the semaphores of which the token may read only a part. Consul leaves out of a list what may not be read, and
 * before 1.11 without a word: a living holder whose entry is left out would look like a ghost, for a ghost is a record
 * without an entry. Asking for that one entry tells: it is refused when it may not be read, and missing when it is
 * not there.
 */

/** Entries asked for at a time, and in one look: a prefix beyond that stays in doubt until the next. */
const batchSize = 32;
const asksMax = 256;

export interface Unread {
  /** Prefixes, without slash, that prove no absence. */
  readonly prefixes: ReadonlySet<string>;
  /** Not everything was asked. */
  readonly more: boolean;
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
  for (const key of asked.keys()) if (!missed.has(key)) asked.delete(key);
  const open = [...missed.keys()].filter((key) => !asked.has(key));
  const now = open.slice(0, asksMax);
  for (let at = 0; at < now.length; at += batchSize)
    await Promise.all(
      now.slice(at, at + batchSize).map(async (key) => {
        asked.set(key, await refused(key, signal));
      }),
    );
  const prefixes = new Set<string>();
  for (const [key, prefix] of missed) if (asked.get(key) !== false) prefixes.add(prefix);
  return { prefixes, more: open.length > now.length };
}
