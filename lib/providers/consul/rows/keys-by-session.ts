/** Which session locks which keys, updated as rows change. A session may lock thousands of keys. */

import { createGroups } from '@/lib/providers/consul/rows/groups';
import type { ChangedRow } from './changed-rows';

export interface Lockers {
  /** Returns the sessions that released this key. */
  change(changed: ChangedRow): readonly string[];
  keys(sessionId: string): Iterable<string>;
  locks(sessionId: string): boolean;
  /** The sessions that lock a key and are not in the set, which never changes. Repeated with it, only news is looked at. */
  outside(listed: ReadonlySet<string>): Iterable<string>;
}

/** Nothing is locked yet. */
export function createLockers(): Lockers {
  const keys = createGroups<string>();
  /** Of the last question; `null` before the first. */
  let cached: { readonly listed: ReadonlySet<string>; readonly outside: Set<string> } | null = null;
  return {
    change: ({ key, before, after }) => {
      for (const { session } of before) if (session !== null) keys.remove(session, key);
      for (const { session } of after) {
        if (session === null) continue;
        keys.add(session, key);
        if (cached?.listed.has(session) === false) cached.outside.add(session);
      }
      return before.flatMap(({ session }) => (session === null || keys.has(session, key) ? [] : [session]));
    },
    keys: keys.of,
    locks: keys.hasName,
    outside: (listed) => {
      if (cached?.listed !== listed)
        cached = { listed, outside: new Set([...keys.names()].filter((id) => !listed.has(id))) };
      const { outside } = cached;
      for (const id of outside) if (!keys.hasName(id)) outside.delete(id);
      return outside;
    },
  };
}
