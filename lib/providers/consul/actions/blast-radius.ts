/** Lists everything that a session holds, which is what its destruction reaches. */

import type { Touch } from '@/lib/domain/actions/plan';
import { type Semaphore, type Subject, subjectId } from '@/lib/domain/model';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { sourceIn } from '@/lib/providers/consul/recognise/view';
import { type ActContext, type Fresh, readScope, semaphoreOf } from './consistent-read';
import { holdingsScope, type ReadScope } from './scope';
import { waitersOf } from './warning';
import { destroySession } from './write';

/** One key that the session locks, with its role. */
interface LockedKey {
  readonly row: KvRow;
  readonly subject: Subject;
  readonly as: 'lock' | 'slot' | 'place';
}

/** Every key that the session locks in the readable part of the store, sorted by key. */
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
 * The semaphores that record the session as a holder although it does not lock its own key there. Programs with other
 * rules than Go's do so. A ghost has no slot to lose.
 */
function recordedBeside(held: readonly LockedKey[], fresh: Fresh, sessionId: string): Semaphore[] {
  const bySlot = new Set(held.flatMap(({ subject, as }) => (as === 'slot' ? subjectId(subject) : [])));
  return fresh.world.semaphores.filter(
    (semaphore) =>
      !bySlot.has(subjectId(semaphoreSubject(semaphore))) &&
      semaphore.holders.some((holder) => holder.sessionId === sessionId && holder.verdict !== 'ghost'),
  );
}

export const keysOf = (held: readonly LockedKey[]): string[] => held.map(({ row }) => row.key);

/** The effects of destroying the session on everything that it holds, except on `except`. */
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
    // A client that sees a key freed drops its holder's record. A holder that locks none leaves no such sign.
    const detail: Touch['detail'] = fresh.index.locksUnder(sessionId, semaphore.prefix)
      ? slotGoesTo(fresh, subject)
      : { code: 'record-stays', facts: { waiters } };
    return { subject, effect: 'loses-slot', who: null, detail };
  });
  return [...held, ...recorded.filter(({ subject }) => isElse(subject))];
}

/** The waiters that may take a freed slot. The fastest wins; the first in line is named. */
function slotGoesTo({ world }: Fresh, subject: Subject): Touch['detail'] {
  const semaphore = subject.kind === 'semaphore' ? semaphoreOf(world, subject.prefix) : null;
  return { code: 'slot-to-waiters', facts: waitersOf(semaphore ?? { waiters: [] }) };
}

/** True when the session locks nothing, and is not in the list or the list cannot be read. */
export function isGone(fresh: Fresh, sessionId: string): boolean {
  return !fresh.view.rows.some((row) => row.session === sessionId) && fresh.index.session(sessionId) === null;
}

/**
 * Ends the session, then reads `also` and its holdings until it is gone. `freed`: the subjects that it held until then.
 */
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
