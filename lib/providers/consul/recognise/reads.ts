/**
 * Records the lookups that each lock and semaphore was made from, beyond its own entries. The subject is made again
 * when one of these answers may differ.
 */
import type { Steps } from '@/lib/domain/sliced-work';
import { createGroups } from '@/lib/providers/consul/rows/groups';
import { lockOfInfo } from './terraform';
import type { ViewIndex } from './view';

export interface Reader {
  readonly kind: 'lock' | 'semaphore';
  readonly name: string;
  /** The names of its recorded lookups. */
  read: readonly string[];
}

/** Names of lookups. Two lookups with one name only cause a needless remake. */
export const readOf = {
  row: (key: string) => key,
  session: (id: string) => id,
  /** The keys that the session locks, and the session itself. */
  locksOf: (id: string) => `locks of ${id}`,
};

export interface Reads {
  /**
   * Calls `make` with an index that records its lookups for `reader`, in place of the earlier ones. It does not record
   * `owner` (each session's keys are known), the reader's info entry (its name identifies its lock), its own folder
   * (whose changes reach it anyway), or a session whose locks it also looks up.
   */
  noting<T>(reader: Reader, owner: string | null, make: (index: ViewIndex) => Steps<T>): Steps<T>;
  forget(reader: Reader): void;
  readers(of: string): Iterable<Reader>;
}

const nothing: readonly string[] = [];
const glance = 0.05;

/** True when the key is directly in the folder. */
const isIn = (folder: string | null, key: string) =>
  folder !== null && key.startsWith(folder) && !key.includes('/', folder.length);

export function createReads(index: ViewIndex): Reads {
  const readers = createGroups<Reader>();
  let noted = new Set<string>();
  let lockers = new Set<string>();
  let known: string | null = null;
  let name = '';
  let folder: string | null = null;
  const tracked: ViewIndex = {
    get view() {
      return index.view;
    },
    row: (key) => {
      const row = index.row(key);
      // The row's own string saves a copy for each of thousands of names.
      if (lockOfInfo(key) !== name && !isIn(folder, key)) noted.add(readOf.row(row?.key ?? key));
      return row;
    },
    session: (id) => {
      const session = index.session(id);
      if (id !== known) noted.add(readOf.session(session?.row.id ?? id));
      return session;
    },
    locksUnder: (sessionId, prefix) => {
      // When its own entry proves the hold, its other locks do not matter. There may be thousands.
      const entry = tracked.row(`${prefix}/${sessionId}`);
      if (entry?.session !== sessionId) lockers.add(sessionId);
      return index.locksUnder(sessionId, prefix);
    },
    covers: (prefix) => index.covers(prefix),
    takes: (key) => index.takes(key),
  };
  const forget = (reader: Reader) => {
    for (const what of reader.read) readers.remove(what, reader);
    reader.read = nothing;
  };
  return {
    forget,
    // Lookups during a pause would count for the wrong reader.
    *noting(reader, owner, make) {
      noted = new Set();
      lockers = new Set();
      known = owner;
      name = reader.name;
      folder = reader.kind === 'semaphore' ? `${name}/` : null;
      const result = yield* make(tracked);
      forget(reader);
      for (const id of lockers) {
        noted.delete(readOf.session(id));
        noted.add(readOf.locksOf(id));
      }
      reader.read = noted.size === 0 ? nothing : [...noted];
      for (const what of noted) {
        readers.add(what, reader);
        yield glance;
      }
      return result;
    },
    readers: readers.of,
  };
}
