/** Tracks the subjects that each session holds and wants. A ghost is recorded but holds nothing. */
import type { Lock, Semaphore, Subject } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';
import { createGroups, type Groups } from '@/lib/providers/consul/rows/groups';

/** Takes in one change, with `null` for absent. Calls `onChange` with each session that gained or lost it. */
type Change<T> = (was: T | null, now: T | null, onChange: (sessionId: string) => void) => void;

const holdersOf = (semaphore: Semaphore | null) =>
  new Set(
    (semaphore?.holders ?? []).filter(({ verdict }) => verdict !== 'ghost').map(({ sessionId }) => sessionId),
  );
const waitersOf = (semaphore: Semaphore | null) =>
  new Set((semaphore?.waiters ?? []).map(({ sessionId }) => sessionId));
const holderOf = (lock: Lock | null) =>
  new Set(lock === null || lock.holder === null ? [] : [lock.holder.sessionId]);

function move(
  bySession: Groups<string>,
  name: string,
  [was, now]: readonly [ReadonlySet<string>, ReadonlySet<string>],
  onChange: (sessionId: string) => void,
): void {
  for (const id of was) {
    if (now.has(id)) continue;
    bySession.remove(id, name);
    onChange(id);
  }
  for (const id of now) {
    if (was.has(id)) continue;
    bySession.add(id, name);
    onChange(id);
  }
}

const nothing: readonly Subject[] = [];
const named = (names: Iterable<string>, subject: (name: string) => Subject): readonly Subject[] => {
  const sorted = [...names].sort();
  return sorted.length === 0 ? nothing : sorted.map(subject);
};

export function createPossessions(source: () => SourceId): {
  readonly lock: Change<Lock>;
  readonly semaphore: Change<Semaphore>;
  holds(sessionId: string): readonly Subject[];
  /** The semaphores that the session waits for, in order. */
  wants(sessionId: string): readonly Subject[];
} {
  const locks = createGroups<string>();
  const slots = createGroups<string>();
  const waits = createGroups<string>();
  const semaphoreOf = (prefix: string) => semaphoreSubject({ source: source(), prefix });
  const lockOf = (key: string) => lockSubject({ source: source(), key });
  return {
    lock: (was, now, onChange) =>
      move(locks, (was ?? now)?.key ?? '', [holderOf(was), holderOf(now)], onChange),
    semaphore: (was, now, onChange) => {
      const name = (was ?? now)?.prefix ?? '';
      move(slots, name, [holdersOf(was), holdersOf(now)], onChange);
      move(waits, name, [waitersOf(was), waitersOf(now)], onChange);
    },
    holds: (sessionId) => {
      const own = named(locks.of(sessionId), lockOf);
      const ofSemaphores = named(slots.of(sessionId), semaphoreOf);
      return ofSemaphores.length === 0 ? own : own.concat(ofSemaphores);
    },
    wants: (sessionId) => named(waits.of(sessionId), semaphoreOf),
  };
}
