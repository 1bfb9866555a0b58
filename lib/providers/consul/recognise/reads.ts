/**
 * What each lock and semaphore was made from, beyond its own entries. Whatever is looked up in the index while one is
 * made is noted, so that it is made anew when the answer may be another one: nobody has to remember what depends on what.
 */
import type { Steps } from '@/lib/domain/steps';
import { createGroups } from '@/lib/providers/consul/rows/groups';
import { lockOfInfo } from './terraform';
import type { ViewIndex } from './view';

/** A lock or a semaphore by its name. */
export interface Reader {
  readonly kind: 'lock' | 'semaphore';
  readonly name: string;
  /** Everything that was noted for it. */
  read: readonly string[];
}

/** What can be looked up, by name. Should two come to one name, something is made anew for nothing, and no more. */
export const readOf = {
  row: (key: string) => key,
  session: (id: string) => id,
  /** Which keys it locks, and the session itself. */
  locksOf: (id: string) => `locks of ${id}`,
};

export interface Reads {
  /**
   * Calls `make` with an index that notes what is asked of it for `reader`, in the place of what was noted before. Not noted is
   * what there would be for every lock: `owner`, the session that locks the reader's own row, for it is known which keys a
   * session locks; and the entry that could inform of the reader, whose name says of whom. Nor is what one semaphore may ask
   * thousands of times, for each name in its entry: its own folder, whose changes concern it anyhow; and a session of which it
   * also asks what it locks.
   */
  noting<T>(reader: Reader, owner: string | null, make: (index: ViewIndex) => Steps<T>): Steps<T>;
  forget(reader: Reader): void;
  /** Those for whom this was looked up. */
  readers(of: string): Iterable<Reader>;
}

const nothing: readonly string[] = [];
/** A name that is noted, beside a row that is judged. */
const glance = 0.05;

/** Directly in it. */
const isIn = (folder: string | null, key: string) =>
  folder !== null && key.startsWith(folder) && !key.includes('/', folder.length);

/** Nothing noted yet. */
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
      // The row's own text where there is one, so that thousands of names are not kept twice.
      if (lockOfInfo(key) !== name && !isIn(folder, key)) noted.add(readOf.row(row?.key ?? key));
      return row;
    },
    session: (id) => {
      const session = index.session(id);
      if (id !== known) noted.add(readOf.session(session?.row.id ?? id));
      return session;
    },
    locksUnder: (sessionId, prefix) => {
      // Where its own entry says yes, its other locks do not matter, and there may be thousands of those.
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
    // One at a time: what is asked while it pauses would be noted for it.
    *noting(reader, owner, make) {
      noted = new Set();
      lockers = new Set();
      known = owner;
      name = reader.name;
      folder = reader.kind === 'semaphore' ? `${name}/` : null;
      const made = yield* make(tracked);
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
      return made;
    },
    readers: readers.of,
  };
}
