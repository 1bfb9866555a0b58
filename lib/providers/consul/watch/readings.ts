/**
 * The newest reading of every watched resource, and how far to trust each. Ticks order the readings: a list asked for
 * after the rows came in cannot be older than they are.
 */

import type { Problem } from '@/lib/domain/problem';
import type { Reply } from '@/lib/providers/consul/client/client';
import { noteSame } from '@/lib/providers/consul/client/large-body';
import type { CheckRow, KvRow, SessionRow } from '@/lib/providers/consul/client/wire';

/** The newest answer of one watched resource. */
export interface Reading<T> {
  /** `null` before the first read, and while the token may not read the resource. */
  value: T | null;
  index: string | null;
  /** Read (or refused) since the link came up, without a failure since. */
  current: boolean;
  /** The answer came without a leader, and may be old. */
  stale: boolean;
  /** Consul left out what the token may not read: a missing entry may exist. */
  filtered: boolean;
  problem: Problem | null;
  brokeAtMs: number | null;
  /** All reads since this instant have failed; `null`: no failure since the last success. */
  failingSinceMs: number | null;
  /** News may be on its way since this instant: since the last answer with news, or the start of an incoming answer. */
  comingSinceMs: number | null;
  /** The tick of the newest value's request. */
  askedTick: number;
  /** The tick of the newest value's arrival. */
  takenTick: number;
  /** The tick of the last change of locks. */
  changedTick: number;
}

/**
 * Rows that are read together: a configured prefix, or a part of it. Roots are sorted by prefix and share no row.
 * `value` is a new list whenever a row changes.
 */
export interface Root extends Reading<readonly KvRow[]> {
  readonly prefix: string;
  /** The configured prefix. */
  readonly of: string;
  /** One entry, whose key is `prefix`. */
  readonly exact: boolean;
}

/** Shows whether a prefix that is read in parts has keys outside of them. It keeps no names. */
export interface Bell extends Reading<readonly string[]> {
  readonly of: string;
}

export interface Readings {
  tick: number;
  /** Replaced as a list when rows are split or joined. */
  roots: readonly Root[];
  bells: readonly Bell[];
  readonly sessions: Reading<readonly SessionRow[]>;
  readonly checks: Reading<readonly CheckRow[]>;
  /** Nodes that are Consul servers; `null`: unknown. */
  servers: readonly string[] | null;
}

const reading = <T>(): Reading<T> => ({
  value: null,
  index: null,
  current: false,
  stale: false,
  filtered: false,
  problem: null,
  brokeAtMs: null,
  failingSinceMs: null,
  comingSinceMs: null,
  askedTick: 0,
  takenTick: 0,
  changedTick: 0,
});

/**
 * The prefixes to watch, sorted, without those that another one covers. Consul's prefixes are plain strings: `a` covers
 * `a/b` and `ab`.
 */
function rootsOf(prefixes: readonly string[]): string[] {
  const roots: string[] = [];
  for (const prefix of [...new Set(prefixes)].sort())
    if (!roots.some((root) => prefix.startsWith(root))) roots.push(prefix);
  return roots.length === 0 ? [''] : roots;
}

export const newRoot = (
  { prefix, of, exact }: Pick<Root, 'prefix' | 'of' | 'exact'>,
  known: Partial<Reading<readonly KvRow[]>> = {},
): Root => ({ ...reading<readonly KvRow[]>(), ...known, prefix, of, exact });

export const newBell = (of: string, known: Partial<Reading<readonly string[]>>): Bell => ({
  ...reading<readonly string[]>(),
  ...known,
  of,
});

export function newReadings(prefixes: readonly string[]): Readings {
  return {
    tick: 0,
    roots: rootsOf(prefixes).map((prefix) => newRoot({ prefix, of: prefix, exact: false })),
    bells: [],
    sessions: reading(),
    checks: reading(),
    servers: null,
  };
}

export function all(readings: Readings): Reading<unknown>[] {
  return [...essential(readings), readings.checks];
}

/** A value that is not essential stands in for the present this long, the bound of `freshness.ts` for news. */
const standsInMs = 2_500;

/** The value; `null` if it was never read, or has been unreadable for longer than `standsInMs`. */
export function knownNow<T>({ value, failingSinceMs }: Reading<T>, nowMs: number): T | null {
  return failingSinceMs !== null && nowMs - failingSinceMs >= standsInMs ? null : value;
}

/** The instant at which `knownNow` turns to `null` without a read; `null`: never. */
export function unknownFromMs({ value, failingSinceMs }: Reading<unknown>, nowMs: number): number | null {
  const atMs = value === null || failingSinceMs === null ? null : failingSinceMs + standsInMs;
  return atMs !== null && atMs > nowMs ? atMs : null;
}

/** The readings that a view requires. Without node health there is still a view, whose evidence says "unknown". */
export function essential({ roots, bells, sessions }: Readings): Reading<unknown>[] {
  return [...roots, ...bells, sessions];
}

export const prefixesOf = ({ roots }: Readings): readonly string[] => [
  ...new Set(roots.map((root) => root.of)),
];

export const isCut = ({ roots }: Readings): boolean => roots.some((root) => root.filtered);

/** Locks may have unread news since this instant; `null`: they have none. */
export function comingSinceMs(readings: Readings): number | null {
  const since = essential(readings).flatMap((one) => one.comingSinceMs ?? []);
  return since.length === 0 ? null : Math.min(...since);
}

/** After an outage no earlier reading counts as current. The values stay for comparison. */
export function distrust(readings: Readings): void {
  for (const one of all(readings)) {
    one.current = false;
    one.problem = null;
    one.failingSinceMs = null;
  }
}

/**
 * Takes in a reply, or drops one older than the current value, because two queries of one resource may be under way. A
 * reply is older if its index is lower, or either index is missing. A reply that was asked for after the current value
 * came in is never older. If its index is lower, Consul's index has started over. False for a dropped reply.
 */
export function take<T>(
  readings: { tick: number },
  one: Reading<T>,
  reply: Reply<T>,
  { askedTick, stale }: { askedTick: number; stale: boolean },
): boolean {
  const newer = one.index !== null && reply.index !== null && BigInt(reply.index) >= BigInt(one.index);
  if (one.current && !newer && askedTick < one.takenTick) return false;
  readings.tick += 1;
  one.value = reply.value;
  one.index = reply.index;
  one.askedTick = Math.max(one.askedTick, askedTick);
  one.takenTick = readings.tick;
  one.current = true;
  one.stale = stale;
  one.filtered = reply.filtered;
  one.problem = null;
  return true;
}

function unchanged(a: KvRow, b: KvRow): boolean {
  if (a === b) return true;
  return (
    a.modifyIndex === b.modifyIndex &&
    a.createIndex === b.createIndex &&
    a.lockIndex === b.lockIndex &&
    a.session === b.session &&
    a.flags === b.flags &&
    a.value.equals(b.value)
  );
}

/** Sorts as JavaScript compares text. Consul sorts by bytes. */
function inOrder(rows: readonly KvRow[]): readonly KvRow[] {
  const sorted = rows.every((row, i) => i === 0 || (rows[i - 1] as KvRow).key <= row.key);
  return sorted ? rows : [...rows].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

interface MergedRows {
  readonly rows: readonly KvRow[];
  readonly locksChanged: boolean;
}

const isLocked = ({ session }: KvRow) => session !== null;

/** The earlier list if both say the same. Sessions never change, so id and create index identify one. */
export function keepSessions(
  before: readonly SessionRow[] | null,
  read: readonly SessionRow[],
): readonly SessionRow[] {
  if (before === null || before === read) return read;
  const known = new Map(before.map((row) => [row.id, row]));
  const merged = read.map((row) => {
    const was = known.get(row.id);
    return was !== undefined && was.createIndex === row.createIndex ? was : row;
  });
  return merged.length === before.length && merged.every((row, i) => row === before[i]) ? before : merged;
}

function keepAmong(before: readonly KvRow[], rows: readonly KvRow[]): MergedRows {
  let locksChanged = false;
  let keptAll = rows.length === before.length;
  let at = 0;
  const merged = rows.map((row) => {
    for (; at < before.length && (before[at] as KvRow).key < row.key; at += 1)
      if (isLocked(before[at] as KvRow)) locksChanged = true;
    const was = before[at]?.key === row.key ? before[at] : undefined;
    if (was !== undefined) at += 1;
    if ((was?.session ?? null) !== row.session) locksChanged = true;
    const same = was !== undefined && unchanged(was, row);
    if (!same) keptAll = false;
    return same ? was : row;
  });
  for (; at < before.length; at += 1) if (isLocked(before[at] as KvRow)) locksChanged = true;
  return { rows: keptAll ? before : merged, locksChanged };
}

/**
 * The rows sorted by key. Unchanged rows stay the same objects, and so does an unchanged list. `locksChanged`: some key
 * changed its locking session.
 */
export function keepRows(before: readonly KvRow[] | null, read: readonly KvRow[]): MergedRows {
  if (before === null) return { rows: inOrder(read), locksChanged: read.some(isLocked) };
  // `readRows` keeps nearly all objects, so only the span of new ones is compared.
  let from = 0;
  while (from < read.length && read[from] === before[from]) from += 1;
  let [end, endBefore] = [read.length, before.length];
  while (end > from && endBefore > from && read[end - 1] === before[endBefore - 1]) {
    end -= 1;
    endBefore -= 1;
  }
  // The span must be in order with its neighbours.
  const around = read.slice(Math.max(0, from - 1), end + 1);
  if (inOrder(around) !== around) return keepAmong(before, inOrder(read));
  const were = before.slice(from, endBefore);
  const { rows: merged, locksChanged } = keepAmong(were, read.slice(from, end));
  if (merged === were) return { rows: before, locksChanged };
  const rows = read.slice();
  for (const [i, row] of merged.entries()) rows[from + i] = row;
  return { rows, locksChanged };
}

/** True when a read brings nothing new. The answer then counts as that of the rows before, and is not parsed again. */
export function saysSame(before: readonly KvRow[], read: readonly KvRow[]): boolean {
  const isSame = keepRows(before, read).rows === before;
  if (isSame) noteSame(read, before);
  return isSame;
}

/** Joins the readings of parts into one of the whole, as good as the worst of them. */
export function joined(parts: readonly Root[]): Reading<readonly KvRow[]> {
  const [first, ...more] = parts;
  if (first === undefined) return reading();
  if (more.length === 0) return first;
  const known = parts.every((part) => part.value !== null);
  return {
    value: known ? parts.flatMap((part) => part.value ?? []) : null,
    index: parts.reduce<string | null>(
      (newest, { index }) =>
        newest === null || (index !== null && BigInt(index) > BigInt(newest)) ? index : newest,
      null,
    ),
    current: parts.every((part) => part.current),
    stale: parts.some((part) => part.stale),
    filtered: parts.some((part) => part.filtered),
    problem: parts.find((part) => part.problem !== null)?.problem ?? null,
    brokeAtMs: parts.find((part) => part.brokeAtMs !== null)?.brokeAtMs ?? null,
    failingSinceMs: parts.find((part) => part.failingSinceMs !== null)?.failingSinceMs ?? null,
    comingSinceMs: null,
    askedTick: Math.min(...parts.map((part) => part.askedTick)),
    takenTick: Math.max(...parts.map((part) => part.takenTick)),
    changedTick: Math.max(...parts.map((part) => part.changedTick)),
  };
}
