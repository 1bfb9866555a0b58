/**
 * The newest reading of every watched resource, and how far each can be trusted. Ticks order the readings: a list
 * that was asked for after the rows came in cannot be older than they are.
 */
import type { Problem } from '@/lib/domain/problem';
import type { Reply } from './client';
import type { CheckRow, Row, SessionRow } from './wire';

/** One resource. `value` is `null` before the first read, and while the token may not read it. */
export interface Reading<T> {
  value: T | null;
  index: string | null;
  /** It was read (or refused) since the link came up, and nothing has failed since. */
  current: boolean;
  /** Read without a leader. */
  stale: boolean;
  /** Consul left out what the token may not read: what is missing here is not known to be absent. */
  filtered: boolean;
  problem: Problem | null;
  /** Tick at which the newest value was asked for, at which it came in, and at which a change of locks came in. */
  askedTick: number;
  takenTick: number;
  changedTick: number;
}

export interface Root extends Reading<readonly Row[]> {
  readonly prefix: string;
}

/** Everything that one watch reads. Written by `watch.ts` only. */
export interface Readings {
  tick: number;
  readonly roots: readonly Root[];
  readonly sessions: Reading<readonly SessionRow[]>;
  readonly checks: Reading<readonly CheckRow[]>;
}

const reading = <T>(): Reading<T> => ({
  value: null,
  index: null,
  current: false,
  stale: false,
  filtered: false,
  problem: null,
  askedTick: 0,
  takenTick: 0,
  changedTick: 0,
});

/**
 * The prefixes to watch: sorted, without those that another one covers, so that no row is read twice.
 * Consul's prefixes are plain string prefixes: `a` covers `a/b` and `ab`.
 */
function rootsOf(prefixes: readonly string[]): string[] {
  const roots: string[] = [];
  for (const prefix of [...new Set(prefixes)].sort())
    if (!roots.some((root) => prefix.startsWith(root))) roots.push(prefix);
  return roots.length === 0 ? [''] : roots;
}

/** Nothing read yet. */
export function newReadings(prefixes: readonly string[]): Readings {
  return {
    tick: 0,
    roots: rootsOf(prefixes).map((prefix) => ({ prefix, ...reading<readonly Row[]>() })),
    sessions: reading(),
    checks: reading(),
  };
}

/** All resources. */
export function all({ roots, sessions, checks }: Readings): Reading<unknown>[] {
  return [...roots, sessions, checks];
}

/** What locks depend on. Without the health of nodes a world can still be told; its evidence says "unknown". */
export function essential({ roots, sessions }: Readings): Reading<unknown>[] {
  return [...roots, sessions];
}

/** After an outage: nothing that was read before counts as current. The values stay, to be compared with. */
export function distrust(readings: Readings): void {
  for (const one of all(readings)) {
    one.current = false;
    one.problem = null;
  }
}

/**
 * Takes in a reply that was asked for at `askedTick`. One that is older than what we have is dropped: two queries
 * of one resource may be under way at a time, and one that blocks may have been asked for long before the other. Older
 * is what has a lower index, unless it was asked for after the other had come in: then Consul's index has started anew.
 */
export function take<T>(
  readings: { tick: number },
  one: Reading<T>,
  reply: Reply<T>,
  { askedTick, stale }: { askedTick: number; stale: boolean },
): void {
  const lower = one.index !== null && reply.index !== null && BigInt(reply.index) < BigInt(one.index);
  if (one.current && lower && askedTick < one.takenTick) return;
  readings.tick += 1;
  one.value = reply.value;
  one.index = reply.index;
  one.askedTick = Math.max(one.askedTick, askedTick);
  one.takenTick = readings.tick;
  one.current = true;
  one.stale = stale;
  one.filtered = reply.filtered;
  one.problem = null;
}

function unchanged(a: Row, b: Row): boolean {
  return (
    a.modifyIndex === b.modifyIndex &&
    a.createIndex === b.createIndex &&
    a.lockIndex === b.lockIndex &&
    a.session === b.session &&
    a.flags === b.flags &&
    a.value.equals(b.value)
  );
}

/**
 * Rows as read, with those that have not changed kept as the same objects; and whether any key came to be locked
 * by another session than before, or by none.
 */
export function keepRows(
  before: readonly Row[] | null,
  rows: readonly Row[],
): { rows: readonly Row[]; locksChanged: boolean } {
  const known = new Map((before ?? []).map((row) => [row.key, row]));
  let locksChanged = false;
  const kept = rows.map((row) => {
    const was = known.get(row.key);
    known.delete(row.key);
    if ((was?.session ?? null) !== row.session) locksChanged = true;
    return was !== undefined && unchanged(was, row) ? was : row;
  });
  for (const gone of known.values()) if (gone.session !== null) locksChanged = true;
  return { rows: kept, locksChanged };
}

/** The rows of all roots. Roots do not overlap and are sorted, but code unit order needs one sort over all. */
export function rowsOf(readings: Readings): readonly Row[] {
  const [only, ...more] = readings.roots;
  if (only !== undefined && more.length === 0) return only.value ?? [];
  return readings.roots
    .flatMap((root) => root.value ?? [])
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
