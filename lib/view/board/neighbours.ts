/**
 * The subjects in view with an address's name, or a similar one. Runbooks have approximate names: the key of a
 * semaphore's entry, a lock without `/.lock`, an extra slash, a shortened session id. One name may be both a lock's and
 * a semaphore's, so the page asks instead of redirecting.
 */

import { type Subject, shortId } from '@/lib/domain/model';
import { lockSubject, semaphoreSubject, sessionSubject } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { bareName, entry } from '@/lib/view/search/search-index';

/** More would be no neighbours. */
const max = 5;
/** Fewer characters of an id are not distinctive. */
const idMin = 4;

/** At most five subjects, semaphores first, without the requested one. `name`: key, prefix or id. */
export function neighboursOf(
  { locks, semaphores, sessions }: Pick<Snapshot, 'locks' | 'semaphores' | 'sessions'>,
  kind: Subject['kind'],
  name: string,
): readonly Subject[] {
  if (kind === 'session') {
    const id = name.trim().toLowerCase();
    const like = sessions.filter((one) => shortId(one.id) === id || one.id.startsWith(id));
    return id.length < idMin ? [] : like.slice(0, max).map(sessionSubject);
  }
  const bare = bareName(name.trim()).replace(entry, '');
  if (bare === '') return [];
  const near: Subject[] = [];
  for (const one of semaphores) if (bareName(one.prefix) === bare) near.push(semaphoreSubject(one));
  for (const one of locks) if (bareName(one.key) === bare) near.push(lockSubject(one));
  return near.slice(0, max);
}
