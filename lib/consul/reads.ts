/**
 * What each lock and semaphore was made from, beyond its own entries. Whatever is looked up in the index while one is
 * made is noted, so that it is made anew when the answer may be another one: nobody has to remember what depends on what.
 */
import type { ViewIndex } from './view';

/** A lock or a semaphore by its name. */
export interface Reader {
  readonly kind: 'lock' | 'semaphore';
  readonly name: string;
  /** Everything that was noted for it. */
  read: readonly string[];
}

export const readOf = {
  row: (key: string) => `row ${key}`,
  session: (id: string) => `session ${id}`,
  /** Which keys it locks. */
  locksOf: (id: string) => `locks ${id}`,
};

export interface Reads {
  /** Calls `make` with an index that notes what is asked of it for `reader`, in the place of what was noted before. */
  noting<T>(reader: Reader, make: (index: ViewIndex) => T): T;
  forget(reader: Reader): void;
  /** Those for whom this was looked up. */
  readers(of: string): Iterable<Reader>;
}

const nobody: readonly Reader[] = [];

/** Nothing noted yet. */
export function createReads(index: ViewIndex): Reads {
  const readers = new Map<string, Set<Reader>>();
  let noted = new Set<string>();
  const tracked: ViewIndex = {
    get view() {
      return index.view;
    },
    row: (key) => {
      noted.add(readOf.row(key));
      return index.row(key);
    },
    session: (id) => {
      noted.add(readOf.session(id));
      return index.session(id);
    },
    locksUnder: (sessionId, prefix) => {
      // Where its own entry says yes, its other locks do not matter, and there may be thousands of those.
      const entry = readOf.row(`${prefix}/${sessionId}`);
      noted.add(entry);
      if (index.row(`${prefix}/${sessionId}`)?.session !== sessionId) noted.add(readOf.locksOf(sessionId));
      return index.locksUnder(sessionId, prefix);
    },
    covers: (prefix) => index.covers(prefix),
  };
  const forget = (reader: Reader) => {
    for (const what of reader.read) {
      const among = readers.get(what);
      among?.delete(reader);
      if (among?.size === 0) readers.delete(what);
    }
    reader.read = [];
  };
  return {
    forget,
    noting: (reader, make) => {
      noted = new Set();
      const made = make(tracked);
      forget(reader);
      reader.read = [...noted];
      for (const what of noted) {
        const among = readers.get(what);
        if (among === undefined) readers.set(what, new Set([reader]));
        else among.add(reader);
      }
      return made;
    },
    readers: (of) => readers.get(of) ?? nobody,
  };
}
