/** Everything that a session holds: what its destruction reaches, and what was freed when it has happened. */

import type { Touch } from '@/lib/domain/actions/plan';
import { type Semaphore, type Subject, subjectId } from '@/lib/domain/model';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { sourceIn } from '@/lib/providers/consul/recognise/view';
import { type ActContext, type Fresh, readScope, semaphoreOf } from './consistent-read';
import { holdingsScope, type ReadScope } from './scope';
import { waitersOf } from './warning';
import { destroySession } from './write';

/** What one key is to the session that locks it. */
interface LockedKey {
  readonly row: KvRow;
  readonly subject: Subject;
  readonly as: 'lock' | 'slot' | 'place';
}

/** Every key that the session locks, in any part of the store that could be read, sorted by key. */
export function heldBy(fresh: Fresh, sessionId: string): LockedKey[] {
  return fresh.view.rows
    .filter((row) => row.session === sessionId)
    .map((row) => lockedKeyOf(fresh, row, sessionId));
}

function lockedKeyOf({ world, index }: Fresh, row: KvRow, sessionId: string): LockedKey {
  const slash = row.key.lastIndexOf('/');
  const prefix = row.key.slice(0, Math.max(slash, 0));
  const semaphore = semaphoreOf(world, prefix);
  const waits = semaphore?.waiters.some(({ entryKey }) => entryKey === row.key) ?? false;
  const holds =
    row.key === `${prefix}/${sessionId}` &&
    (semaphore?.holders.some((holder) => holder.sessionId === sessionId) ?? false);
  if (semaphore !== null && (waits || holds))
    return { row, subject: semaphoreSubject(semaphore), as: holds ? 'slot' : 'place' };
  return { row, subject: lockSubject({ source: sourceIn(index), key: row.key }), as: 'lock' };
}

/**
 * The semaphores in which the session has a slot by their record: it locks another key than its own there, or none, as under the
 * rules of other programs than Go's. A ghost has no slot to lose.
 */
function recordedBeside(held: readonly LockedKey[], fresh: Fresh, sessionId: string): Semaphore[] {
  const bySlot = new Set(held.flatMap(({ subject, as }) => (as === 'slot' ? subjectId(subject) : [])));
  return fresh.world.semaphores.filter(
    (semaphore) =>
      !bySlot.has(subjectId(semaphoreSubject(semaphore))) &&
      semaphore.holders.some((holder) => holder.sessionId === sessionId && holder.verdict !== 'ghost'),
  );
}

/** The keys alone, for the expectation. */
export const keysOf = (held: readonly LockedKey[]): string[] => held.map(({ row }) => row.key);

/** What destroying the session does to everything that it holds, but for the subject itself. */
export function touchesOf(fresh: Fresh, sessionId: string, except: Subject): Touch[] {
  const session = fresh.index.session(sessionId)?.row ?? null;
  const delay: Touch['detail'] =
    session === null
      ? { code: 'behavior-not-known', facts: {} }
      : session.lockDelayMs === 0
        ? { code: 'free-at-once', facts: {} }
        : { code: 'refused-for', facts: { lockDelayMs: session.lockDelayMs } };
  const isElse = (subject: Subject) => subjectId(subject) !== subjectId(except);
  const all = heldBy(fresh, sessionId);
  const held = all
    .filter(({ subject }) => isElse(subject))
    .map(({ subject, as }): Touch => {
      if (as === 'slot')
        return { subject, effect: 'loses-slot', who: null, detail: slotGoesTo(fresh, subject) };
      const effect = session?.behavior === 'delete' ? 'deleted' : 'released';
      if (as === 'place') return { subject, effect, who: null, detail: { code: 'place-in-line', facts: {} } };
      return { subject, effect, who: null, detail: delay };
    });
  const recorded = recordedBeside(all, fresh, sessionId).map((semaphore): Touch => {
    const subject = semaphoreSubject(semaphore);
    const { waiters } = waitersOf(semaphore);
    // Clients drop the record of a holder as its key is freed; where it locks none, none of them would ever see it go.
    const detail: Touch['detail'] = fresh.index.locksUnder(sessionId, semaphore.prefix)
      ? slotGoesTo(fresh, subject)
      : { code: 'record-stays', facts: { waiters } };
    return { subject, effect: 'loses-slot', who: null, detail };
  });
  return [...held, ...recorded.filter(({ subject }) => isElse(subject))];
}

/** Who may take a slot that becomes free: whoever is quick among those who wait, the first to come named. */
function slotGoesTo({ world }: Fresh, subject: Subject): Touch['detail'] {
  const semaphore = subject.kind === 'semaphore' ? semaphoreOf(world, subject.prefix) : null;
  return { code: 'slot-to-waiters', facts: waitersOf(semaphore ?? { waiters: [] }) };
}

/** True when the session is gone: it locks nothing, and it is not in the list (or the list cannot be read). */
export function isGone(fresh: Fresh, sessionId: string): boolean {
  return !fresh.view.rows.some((row) => row.session === sessionId) && fresh.index.session(sessionId) === null;
}

/** Ends the session, and reads what it held and `also` until it is gone. `freed`: what it held and does not hold any more. */
export async function endSession(
  context: ActContext,
  before: Fresh,
  sessionId: string,
  also: ReadScope,
): Promise<{ readonly after: Fresh; readonly freed: Subject[]; readonly answerLost: boolean }> {
  const scope = holdingsScope(before.view.rows, sessionId, also);
  let after = before;
  const { answerLost } = await destroySession(context, sessionId, async () => {
    after = await readScope(context, scope, before);
    return isGone(after, sessionId);
  });
  const freed = new Map<string, Subject>();
  for (const { row, subject, as } of heldBy(before, sessionId))
    if (as !== 'place' && after.index.row(row.key)?.session !== sessionId)
      freed.set(subjectId(subject), subject);
  return { after, freed: [...freed.values()], answerLost };
}
