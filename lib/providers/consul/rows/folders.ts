/**
 * Keeps the entries that may belong to semaphores, by folder, as rows change. A folder is judged again only when an
 * entry directly below it changes. Every entry belongs to the nearest prefix only.
 */

import type { KvRow } from '@/lib/providers/consul/client/wire';
import type { ChangedRow } from '@/lib/providers/consul/rows/changed-rows';
import type { Remembered } from '@/lib/providers/consul/rows/remembered';
import {
  type CoordinationReading,
  coordinationName,
  lockFlags,
  readCoordination,
  semaphoreFlags,
} from './coordination';

/** The entries of one semaphore, before any conclusion. */
export interface SemaphoreEntries {
  readonly prefix: string;
  /** The coordination entry; `null` when it is missing, or is a lock. */
  readonly coordination: KvRow | null;
  /** Another entry in the place of the coordination entry. */
  readonly foreign: KvRow | null;
  readonly contenders: readonly KvRow[];
  readonly leftovers: readonly KvRow[];
}

interface Folder {
  /** Sorted by key, like `leftovers`. */
  readonly contenders: KvRow[];
  /** Possible leftovers, about which the coordination entry decides. */
  readonly leftovers: KvRow[];
  /** The number of contenders that prove a semaphore without a coordination entry. */
  sureContenders: number;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const readings = new WeakMap<KvRow, CoordinationReading>();

/** Cached, because a row never changes. */
export function reading(row: KvRow): CoordinationReading {
  const known = readings.get(row);
  if (known !== undefined) return known;
  const fresh = readCoordination(row.value);
  readings.set(row, fresh);
  return fresh;
}

/** The key's folder and last part; `null` for a key at the top, which can belong to no semaphore. */
function placeOf(key: string): { parent: string; name: string } | null {
  const slash = key.lastIndexOf('/');
  return slash < 1 ? null : { parent: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The state of an entry below a prefix, with or without a coordination entry beside it. */
function contenderState(row: KvRow, name: string): 'contenders' | 'leftovers' | null {
  if (name === coordinationName || name === '') return null;
  // Go's api.Lock writes these flags with each acquisition, and no contender has them.
  if (row.session === name) return row.flags === lockFlags ? null : 'contenders';
  if (row.flags === semaphoreFlags) return row.session === null ? 'leftovers' : 'contenders';
  // A lock makes an entry a contender's. An entry that was never locked is a client's data, whatever its name.
  if (row.session !== null || row.lockIndex === '0' || !uuid.test(name)) return null;
  // A lock may have any name. With Go's flags or a value it belongs to a client, so it stays in sight.
  return row.flags === lockFlags || row.value.length > 0 ? null : 'leftovers';
}

/** An entry that a session locks to hold or to want a slot. */
export function contends(row: KvRow): boolean {
  const place = placeOf(row.key);
  return place !== null && contenderState(row, place.name) === 'contenders';
}

/** True when the entry alone proves a semaphore: by Go's flags, or by the place and form of the Java article. */
const isSure = ({ flags, value }: KvRow, prefix: string) =>
  flags === semaphoreFlags || (isJavaPrefix(prefix) && flags === '0' && value.length === 0);

/** The prefixes of the Java article. */
export const isJavaPrefix = (prefix: string): boolean => prefix.startsWith('semaphore/');

/** True for a coordination entry, even without contenders. */
export const isSurelyCoordination = (row: KvRow): boolean => isCoordination(row, false);

function isCoordination(row: KvRow, hasContenders: boolean): boolean {
  if (row.flags === semaphoreFlags) return true;
  if (row.session !== null) return false;
  const { limit, holders, coordination } = reading(row);
  if (coordination !== null || limit !== null || holders !== null) return true;
  // With contenders below, an unreadable semaphore is better than none. Clients write a coordination entry only by
  // comparison, so a count of acquisitions marks a free lock.
  return hasContenders && row.flags !== lockFlags && row.lockIndex === '0';
}

/** False for a lock with the name of a coordination entry, of which there may be many. */
const mayCoordinate = (row: KvRow | null) =>
  row !== null && (row.session === null || row.flags === semaphoreFlags);

function insert(rows: KvRow[], row: KvRow): void {
  let at = rows.length;
  while (at > 0 && (rows[at - 1] as KvRow).key > row.key) at -= 1;
  rows.splice(at, 0, row);
}

function take(rows: KvRow[], row: KvRow): void {
  const at = rows.indexOf(row);
  if (at !== -1) rows.splice(at, 1);
}

export interface Folders {
  /** Takes in one change. Returns the affected prefix, or `null`. */
  change(changed: ChangedRow): string | null;
  entries(prefix: string): SemaphoreEntries | null;
  prefixes(): Iterable<string>;
  /** True for an entry of a semaphore, which is no lock of its own. */
  takes(row: KvRow): boolean;
  /** Keys of the entries that may belong to the semaphore at this prefix. */
  keys(prefix: string): readonly string[];
}

/** Folders without entries yet. `rowOf`: the present row of a key, after all changes, even those not taken in yet. */
export function createFolders(
  rowOf: (key: string) => KvRow | undefined,
  remembered: () => Remembered,
): Folders {
  const folders = new Map<string, Folder>();

  const candidateOf = (prefix: string): KvRow | null => rowOf(`${prefix}/${coordinationName}`) ?? null;
  const coordinationOf = (prefix: string, { contenders }: Folder): KvRow | null => {
    const candidate = candidateOf(prefix);
    return candidate !== null && isCoordination(candidate, contenders.length > 0) ? candidate : null;
  };
  // Names alone are no proof. Keys named after sessions may be a list of members, each a lock.
  const isSemaphore = (prefix: string, folder: Folder, coordination: KvRow | null) =>
    coordination !== null ||
    folder.sureContenders > 0 ||
    (folder.contenders.length > 0 && remembered().wasSemaphore(prefix));
  // Go's flags alone identify a contender entry. In other layouts it has the flags of the coordination entry.
  const isLeftover = (row: KvRow, coordination: KvRow | null) =>
    row.flags === semaphoreFlags ||
    (row.flags === coordination?.flags && !remembered().wasOthersLock(row.key));

  return {
    change: ({ key, before, after }) => {
      const place = placeOf(key);
      if (place === null) return null;
      const { parent, name } = place;
      const states = after.map((row) => contenderState(row, name));
      const known = folders.get(parent);
      const isOfOne =
        name === coordinationName ? after.some(mayCoordinate) : states.some((state) => state !== null);
      if (known === undefined && !isOfOne) return null;
      const folder = known ?? { contenders: [], leftovers: [], sureContenders: 0 };
      const sureIn = (state: ReturnType<typeof contenderState>, row: KvRow) =>
        state === 'contenders' && isSure(row, parent) ? 1 : 0;
      for (const row of before) {
        const state = contenderState(row, name);
        if (state !== null) take(folder[state], row);
        folder.sureContenders -= sureIn(state, row);
      }
      for (const [i, row] of after.entries()) {
        const state = states[i] ?? null;
        if (state !== null) insert(folder[state], row);
        folder.sureContenders += sureIn(state, row);
      }
      const isEmpty = folder.contenders.length + folder.leftovers.length === 0;
      if (isEmpty && !mayCoordinate(candidateOf(parent))) folders.delete(parent);
      else folders.set(parent, folder);
      return parent;
    },
    entries: (prefix) => {
      const folder = folders.get(prefix);
      if (folder === undefined) return null;
      const coordination = coordinationOf(prefix, folder);
      if (!isSemaphore(prefix, folder, coordination)) return null;
      const foreign = coordination === null ? candidateOf(prefix) : null;
      const leftovers = folder.leftovers.filter((row) => isLeftover(row, coordination));
      return { prefix, coordination, foreign, contenders: folder.contenders, leftovers };
    },
    prefixes: () => folders.keys(),
    takes: (row) => {
      const place = placeOf(row.key);
      const folder = place === null ? undefined : folders.get(place.parent);
      if (place === null || folder === undefined) return false;
      if (place.name === coordinationName) return coordinationOf(place.parent, folder) === row;
      const state = contenderState(row, place.name);
      if (state === null) return false;
      const coordination = coordinationOf(place.parent, folder);
      return (
        isSemaphore(place.parent, folder, coordination) &&
        (state === 'contenders' || isLeftover(row, coordination))
      );
    },
    keys: (prefix) => {
      const folder = folders.get(prefix);
      if (folder === undefined) return [];
      const { contenders, leftovers } = folder;
      return [candidateOf(prefix) ?? [], ...contenders, ...leftovers].flat().map(({ key }) => key);
    },
  };
}
