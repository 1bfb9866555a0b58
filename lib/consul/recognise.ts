/**
 * From what was read in Consul to what it means: locks, semaphores and sessions. Pure; no key or value makes it
 * throw, whatever its bytes, because anyone who may write a key could blind the console otherwise.
 */
import type { Lock, Semaphore, Session, Subject, World } from '@/lib/domain/model';
import { isLock, lock, lockWithoutEntry } from './locks';
import { groupSemaphores, semaphore, semaphoreRows } from './semaphores';
import { indexView, type View, type ViewIndex } from './view';

export type { View } from './view';

const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function locksOf(index: ViewIndex, taken: ReturnType<typeof semaphoreRows>): Lock[] {
  const locks = new Map<string, Lock>();
  for (const row of index.view.rows) {
    if (taken.has(row) || !isLock(index, row)) continue;
    // Two keys that differ only in bytes that are no UTF-8 arrive under one name: the held one is shown.
    if (locks.get(row.key)?.state === 'held') continue;
    locks.set(row.key, lock(index, row));
  }
  for (const delayed of index.view.sightings.delayedWithoutEntry)
    if (!locks.has(delayed.row.key)) locks.set(delayed.row.key, lockWithoutEntry(index, delayed));
  return [...locks.values()].sort((a, b) => inOrder(a.key, b.key));
}

/** What each session holds and wants. A ghost is recorded but holds nothing, so it is left out. */
function sessionsOf(index: ViewIndex, locks: readonly Lock[], semaphores: readonly Semaphore[]): Session[] {
  const holds = new Map<string, Subject[]>();
  const wants = new Map<string, Subject[]>();
  const add = (map: Map<string, Subject[]>, id: string, subject: Subject) => {
    const subjects = map.get(id);
    if (subjects === undefined) map.set(id, [subject]);
    else subjects.push(subject);
  };
  for (const { key, holder } of locks)
    if (holder !== null) add(holds, holder.sessionId, { kind: 'lock', key });
  for (const { prefix, holders, waiters } of semaphores) {
    for (const { sessionId, verdict } of holders)
      if (verdict !== 'ghost') add(holds, sessionId, { kind: 'semaphore', prefix });
    for (const { sessionId } of waiters) add(wants, sessionId, { kind: 'semaphore', prefix });
  }
  return index.sessions
    .map(
      ({ row, nodeStatus, checks }): Session => ({
        id: row.id,
        name: row.name,
        node: row.node,
        ttlMs: row.ttlMs,
        behavior: row.behavior,
        lockDelayMs: row.lockDelayMs,
        checks,
        nodeStatus,
        holds: holds.get(row.id) ?? [],
        wants: wants.get(row.id) ?? [],
        // Sightings are made from the same look, so a listed session has been seen; else nothing is claimed.
        since: index.view.sightings.sessionSince(row.id) ?? { atMs: 0, basis: 'at-least' },
        createIndex: row.createIndex,
      }),
    )
    .sort((a, b) => inOrder(a.id, b.id));
}

/** Recognises one view. Lists are sorted by key, prefix and id, in code unit order. */
export function recognise(view: View): World {
  const index = indexView(view);
  const groups = groupSemaphores(index);
  const semaphores = [...groups.values()]
    .map((entries) => semaphore(index, entries))
    .sort((a, b) => inOrder(a.prefix, b.prefix));
  const locks = locksOf(index, semaphoreRows(groups));
  return {
    locks,
    semaphores,
    sessions: sessionsOf(index, locks, semaphores),
    scope: view.roots.includes('') ? 'whole' : 'part',
  };
}
