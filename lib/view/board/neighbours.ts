/**
 * What is in view under the name of an address, or nearly that name. A person writes into a runbook what they know: the key of
 * a semaphore's entry, a lock without the `/.lock` that the client appends, a slash too many, the id of a session as a screen
 * shortens it. One name may be that of a lock and of a semaphore, so the page asks and does not lead on by itself.
 */

import { type Subject, shortId } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { bareName, entry } from '@/lib/view/search/search-index';

/** More would be no neighbours. */
const max = 5;
/** Fewer characters of an id say nothing. */
const idMin = 4;

/** At most five, semaphores first; the asked one itself is not among them. `name`: key, prefix or id. */
export function neighboursOf(
  { locks, semaphores, sessions }: Pick<Snapshot, 'locks' | 'semaphores' | 'sessions'>,
  kind: Subject['kind'],
  name: string,
): readonly Subject[] {
  if (kind === 'session') {
    const id = name.trim().toLowerCase();
    const like = sessions.filter((one) => shortId(one.id) === id || one.id.startsWith(id));
    return id.length < idMin ? [] : like.slice(0, max).map((one) => ({ kind, id: one.id }));
  }
  const bare = bareName(name.trim()).replace(entry, '');
  if (bare === '') return [];
  const near: Subject[] = [];
  for (const { prefix } of semaphores)
    if (bareName(prefix) === bare) near.push({ kind: 'semaphore', prefix });
  for (const { key } of locks) if (bareName(key) === bare) near.push({ kind: 'lock', key });
  return near.slice(0, max);
}
