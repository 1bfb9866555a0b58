/** Which session locks which keys, kept up as rows change. A session may lock thousands, and there may be thousands. */

import { createGroups } from '@/lib/providers/consul/rows/groups';
import type { ChangedRow } from './changed-rows';

export interface Lockers {
  /** The sessions that have let go of this key: what follows from that depends on whether they have ended. */
  change(changed: ChangedRow): readonly string[];
  /** Keys that this session locks. */
  keys(sessionId: string): Iterable<string>;
  /** Every session that locks something. */
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
