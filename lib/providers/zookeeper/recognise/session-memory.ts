/** Sessions that were connected before: one that no server has a connection of any more is silent, and not merely new. */
import type { ZkFacts, ZkSession } from '@/lib/providers/zookeeper/client/node';

export interface SessionMemory {
  /**
   * The same facts, and in them the sessions that own nodes and have lost their connection, without an address. The pages are
   * older than the nodes, so that a session that they never listed may have just begun.
   */
  facts(now: ZkFacts, owned: ReadonlyMap<string, unknown>): ZkFacts;
}

export function createMemory(): SessionMemory {
  let connected = new Map<string, ZkSession>();
  let last: { readonly given: ZkFacts['sessions']; readonly sessions: ZkFacts['sessions'] } | null = null;
  return {
    facts: (now, owned) => {
      const { sessions: given, sessionsWhole } = now;
      if (last?.given === given) return { ...now, sessions: last.sessions };
      const sessions = given === null ? null : new Map(given);
      const next = new Map(given);
      for (const [id, session] of connected) {
        if (next.has(id) || !owned.has(id)) continue;
        next.set(id, session);
        if (sessionsWhole) sessions?.set(id, { ...session, address: null });
      }
      connected = next;
      last = { given, sessions };
      return { ...now, sessions };
    },
  };
}
