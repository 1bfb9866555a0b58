/** Carries the knowledge of sessions from one view to the next. */
import type { ZkFacts, ZkSession } from '@/lib/providers/zookeeper/client/node';
import { parentOf } from '@/lib/providers/zookeeper/client/path';
import type { EntryIndex } from './entry-index';
import { sessionStamp } from './party';

export interface SessionMemory {
  /**
   * Adds sessions that own nodes and lost their connection to the facts, without an address. Pages are older than
   * nodes, so a session that was never listed may have just begun. Adds the folders of changed parties to `dirty`.
   */
  take(now: ZkFacts, index: EntryIndex, dirty: Set<string>): ZkFacts;
}

export function createMemory(): SessionMemory {
  let connected = new Map<string, ZkSession>();
  let given: ZkFacts['sessions'] | undefined;
  let watchers: ZkFacts['watchers'] = null;
  let sessions: ZkFacts['sessions'] = null;
  let stamps: ReadonlyMap<string, string> = new Map();

  function withSilent(now: ZkFacts, { owned }: EntryIndex): ZkFacts['sessions'] {
    const all = now.sessions === null ? null : new Map(now.sessions);
    const next = new Map(now.sessions);
    for (const [id, session] of connected) {
      if (next.has(id) || !owned.has(id)) continue;
      next.set(id, session);
      if (now.sessionsWhole) all?.set(id, { ...session, address: null });
    }
    connected = next;
    return all;
  }

  function dirtyBySession(facts: ZkFacts, index: EntryIndex, dirty: Set<string>): void {
    const before = stamps;
    stamps = new Map([...index.owned.keys()].map((id) => [id, sessionStamp(facts, id)]));
    const moved = new Set([...stamps].flatMap(([id, stamp]) => (before.get(id) === stamp ? [] : [id])));
    if (moved.size === 0) return;
    for (const { node } of index.entries())
      if (moved.has(node.stat.ephemeralOwner)) dirty.add(parentOf(node.path));
  }

  function dirtyByWatch(now: ZkFacts['watchers'], index: EntryIndex, dirty: Set<string>): void {
    for (const path of new Set([...(watchers?.keys() ?? []), ...(now?.keys() ?? [])])) {
      const owner = index.entry(path)?.node.stat.ephemeralOwner;
      if (owner === undefined) continue;
      if (watchers?.get(path)?.has(owner) !== now?.get(path)?.has(owner)) dirty.add(parentOf(path));
    }
    watchers = now;
  }

  return {
    take: (now, index, dirty) => {
      if (now.watchers !== watchers) dirtyByWatch(now.watchers, index, dirty);
      if (now.sessions === given) return { ...now, sessions };
      given = now.sessions;
      sessions = withSilent(now, index);
      const facts = { ...now, sessions };
      dirtyBySession(facts, index, dirty);
      return facts;
    },
  };
}
