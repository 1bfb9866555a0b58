/** Keeps the keys that each session locks, as rows change. A session may lock thousands. */

import { createGroups } from '@/lib/providers/consul/rows/groups';
import type { ChangedRow } from './changed-rows';

export interface Lockers {
  /** Takes in one change. Returns the sessions that released this key. */
  change(changed: ChangedRow): readonly string[];
  keys(sessionId: string): Iterable<string>;
  locks(sessionId: string): boolean;
  /**
   * The locking sessions outside of `listed`, which never changes. A repeated call with the same set only looks at
   * changes.
   */
  outside(listed: ReadonlySet<string>): Iterable<string>;
}

/** Starts without locked keys. */
export function createLockers(): Lockers {
  const keys = createGroups<string>();
  /** The answer to the last question; `null` before the first. */
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
