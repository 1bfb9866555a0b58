/** What each session holds and wants, kept up as locks and semaphores change. A ghost is recorded but holds nothing. */
import type { Lock, Semaphore, Subject } from '@/lib/domain/model';

interface Possessions {
  readonly locks: Set<string>;
  readonly slots: Set<string>;
  readonly waits: Set<string>;
}

/** A lock or semaphore as it was and as it is, `null` where it is not there. `tell`: of sessions that gained or lost. */
type Change<T> = (was: T | null, now: T | null, tell: (sessionId: string) => void) => void;

const holdersOf = (semaphore: Semaphore | null) =>
  new Set(
    (semaphore?.holders ?? []).filter(({ verdict }) => verdict !== 'ghost').map(({ sessionId }) => sessionId),
  );
const waitersOf = (semaphore: Semaphore | null) =>
  new Set((semaphore?.waiters ?? []).map(({ sessionId }) => sessionId));
const holderOf = (lock: Lock | null) =>
  new Set(lock === null || lock.holder === null ? [] : [lock.holder.sessionId]);

/** Nobody has anything yet. */
export function createPossessions(): {
  readonly lock: Change<Lock>;
  readonly semaphore: Change<Semaphore>;
  /** Locks, then semaphores, each in order. */
  holds(sessionId: string): readonly Subject[];
  /** Semaphores, in order. */
  wants(sessionId: string): readonly Subject[];
} {
  const bySession = new Map<string, Possessions>();
  const of = (id: string): Possessions => {
    const known = bySession.get(id);
    if (known !== undefined) return known;
    const fresh = { locks: new Set<string>(), slots: new Set<string>(), waits: new Set<string>() };
    bySession.set(id, fresh);
    return fresh;
  };
  const move = (
    kind: keyof Possessions,
    name: string,
    [was, now]: readonly [ReadonlySet<string>, ReadonlySet<string>],
    tell: (sessionId: string) => void,
  ) => {
    for (const id of was) {
      if (now.has(id)) continue;
      const { locks, slots, waits } = of(id);
      of(id)[kind].delete(name);
      if (locks.size + slots.size + waits.size === 0) bySession.delete(id);
      tell(id);
    }
    for (const id of now) {
      if (was.has(id)) continue;
      of(id)[kind].add(name);
      tell(id);
    }
  };
  const prefixes = (names: ReadonlySet<string> | undefined): Subject[] =>
    [...(names ?? [])].sort().map((prefix) => ({ kind: 'semaphore', prefix }));
  return {
    lock: (was, now, tell) => move('locks', (was ?? now)?.key ?? '', [holderOf(was), holderOf(now)], tell),
    semaphore: (was, now, tell) => {
      const name = (was ?? now)?.prefix ?? '';
      move('slots', name, [holdersOf(was), holdersOf(now)], tell);
      move('waits', name, [waitersOf(was), waitersOf(now)], tell);
    },
    holds: (sessionId) => {
      const own = bySession.get(sessionId);
      const locks = [...(own?.locks ?? [])].sort().map((key): Subject => ({ kind: 'lock', key }));
      return [...locks, ...prefixes(own?.slots)];
    },
    wants: (sessionId) => prefixes(bySession.get(sessionId)?.waits),
  };
}
