/** The worlds of several sources as one. Rows keep their identity, and so do lists of which no part has changed. */
import type { Lock, Renewal, Semaphore, Session, World } from '@/lib/domain/model';
import { lockName, renewalName, semaphoreName, sessionName } from '@/lib/domain/subject';

/** Two sorted lists as one. Mostly the rows of one source stand before all of another's, which costs one copy. */
function merged<R>(a: readonly R[], b: readonly R[], nameOf: (row: R) => string): readonly R[] {
  const [last, first] = [a.at(-1), b[0]];
  if (last === undefined) return b;
  if (first === undefined) return a;
  if (nameOf(last) < nameOf(first)) return a.concat(b);
  const rows: R[] = [];
  let j = 0;
  for (const row of a) {
    for (let next = b[j]; next !== undefined && nameOf(next) < nameOf(row); next = b[j]) {
      rows.push(next);
      j += 1;
    }
    rows.push(row);
  }
  return rows.concat(b.slice(j));
}

function merging<R>(nameOf: (row: R) => string) {
  let before: readonly (readonly R[])[] = [];
  let last: readonly R[] = [];
  return (lists: readonly (readonly R[])[]): readonly R[] => {
    const same = lists.length === before.length && lists.every((list, i) => list === before[i]);
    if (!same) last = lists.reduce((all, list) => merged(all, list, nameOf), []);
    before = lists;
    return last;
  };
}

function scopeOf(worlds: readonly World[]): Pick<World, 'scope'> {
  if (worlds.some(({ scope }) => scope === 'part')) return { scope: 'part' };
  return worlds.every(({ scope }) => scope === 'whole') ? { scope: 'whole' } : {};
}

/** Merges one set of worlds after another. `isAll`: a world of every source is among them. */
export function createMerge(): (worlds: readonly World[], isAll: boolean) => World {
  const locks = merging<Lock>(lockName);
  const semaphores = merging<Semaphore>(semaphoreName);
  const sessions = merging<Session>(sessionName);
  const renewals = merging<Renewal>(renewalName);
  return (worlds, isAll) => {
    const renewed = worlds.flatMap((world) => (world.renewals === undefined ? [] : [world.renewals]));
    return {
      locks: locks(worlds.map((world) => world.locks)),
      semaphores: semaphores(worlds.map((world) => world.semaphores)),
      sessions: sessions(worlds.map((world) => world.sessions)),
      ...(isAll ? scopeOf(worlds) : { scope: 'part' as const }),
      ...(renewed.length === 0 ? {} : { renewals: renewals(renewed) }),
    };
  };
}
