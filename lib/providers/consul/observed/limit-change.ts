/**
 * Limits that changed during a wait. Go's client gives up when the stored limit differs from its own ("semaphore limit
 * conflict", api/semaphore.go). Its session and contender entry stay until the TTL ends, and look like a waiter. Only a
 * watch sees the change, so it is kept until the waiter is gone or holds a slot.
 */
import type { KvRow } from '@/lib/providers/consul/client/wire';

export interface LimitChange {
  readonly from: number;
  readonly to: number;
  readonly atMs: number;
}

/** One wait. Another session, or a new entry of the same one, is another wait. */
interface Marked {
  readonly row: KvRow;
  readonly change: LimitChange;
}

/** The waits by the key of the contender entry. */
export type LimitChanges = ReadonlyMap<string, Marked>;

/** `prefix` without slash. */
export interface Moved extends LimitChange {
  readonly prefix: string;
}

const sameWait = (a: KvRow | undefined, b: KvRow | undefined) =>
  a !== undefined &&
  b !== undefined &&
  b.session !== null &&
  a.session === b.session &&
  a.createIndex === b.createIndex;

const prefixOf = (entryKey: string) => entryKey.slice(0, entryKey.lastIndexOf('/'));

/** The changes to keep after one more look; the same map if they are the same. `before.rows` is in order. Pure. */
export function limitChangesAfter(
  before: { readonly rows: Iterable<KvRow>; readonly limitChanges: LimitChanges },
  moved: readonly Moved[],
  rowAt: (key: string) => KvRow | undefined,
  holds: (prefix: string, sessionId: string) => boolean,
): LimitChanges {
  if (moved.length === 0 && before.limitChanges.size === 0) return before.limitChanges;
  const waits = (key: string, row: KvRow | undefined) =>
    row?.session != null && !holds(prefixOf(key), row.session);
  const changes = new Map<string, Marked>();
  for (const [key, marked] of before.limitChanges)
    if (sameWait(marked.row, rowAt(key)) && waits(key, rowAt(key))) changes.set(key, marked);

  const byPrefix = new Map(moved.map((change) => [change.prefix, change]));
  if (byPrefix.size === 0) return changes.size === before.limitChanges.size ? before.limitChanges : changes;
  for (const row of before.rows) {
    const { key } = row;
    const change = row.session === null ? undefined : byPrefix.get(prefixOf(key));
    // The client gave up at the first change.
    if (change === undefined || changes.has(key)) continue;
    const now = rowAt(key);
    if (!sameWait(row, now) || !waits(key, now)) continue;
    changes.set(key, { row, change: { from: change.from, to: change.to, atMs: change.atMs } });
  }
  return changes;
}
