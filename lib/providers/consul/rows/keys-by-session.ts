/** Which session locks which keys, updated as rows change. A session may lock thousands of keys. */

import { createGroups } from '@/lib/providers/consul/rows/groups';
import type { ChangedRow } from './changed-rows';

export interface Lockers {
  /** Returns the sessions that released this key. */
  change(changed: ChangedRow): readonly string[];
  keys(sessionId: string): Iterable<string>;
  sessions(): Iterable<string>;
  locks(sessionId: string): boolean;
}

/** Nothing is locked yet. */
export function createLockers(): Lockers {
  const keys = createGroups<string>();
  return {
    change: ({ key, before, after }) => {
      for (const { session } of before) if (session !== null) keys.remove(session, key);
      for (const { session } of after) if (session !== null) keys.add(session, key);
      return before.flatMap(({ session }) => (session === null || keys.has(session, key) ? [] : [session]));
    },
    keys: keys.of,
    sessions: keys.names,
    locks: keys.hasName,
  };
}
