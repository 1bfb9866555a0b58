/** Which session locks which keys, kept up as rows change. A session may lock thousands, and there may be thousands. */
import type { ChangedRow } from './changed-rows';

export interface Lockers {
  /** True when a session has let go of this key: what follows from that depends on whether it has ended. */
  change(changed: ChangedRow): boolean;
  /** Keys that this session locks. */
  keys(sessionId: string): ReadonlySet<string>;
  /** Every session that locks something. */
  sessions(): Iterable<string>;
  locks(sessionId: string): boolean;
}

const none: ReadonlySet<string> = new Set();

/** Nothing is locked yet. */
export function createLockers(): Lockers {
  const keysOf = new Map<string, Set<string>>();
  const release = (id: string, key: string) => {
    const keys = keysOf.get(id);
    keys?.delete(key);
    if (keys?.size === 0) keysOf.delete(id);
  };
  const acquire = (id: string, key: string) => {
    const keys = keysOf.get(id);
    if (keys === undefined) keysOf.set(id, new Set([key]));
    else keys.add(key);
  };
  return {
    change: ({ key, before, after }) => {
      for (const { session } of before) if (session !== null) release(session, key);
      for (const { session } of after) if (session !== null) acquire(session, key);
      return before.some(({ session }) => session !== null && keysOf.get(session)?.has(key) !== true);
    },
    keys: (sessionId) => keysOf.get(sessionId) ?? none,
    sessions: () => keysOf.keys(),
    locks: (sessionId) => keysOf.has(sessionId),
  };
}
