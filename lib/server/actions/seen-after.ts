/** What one subject of an action shows after it, look by look, compared with how it was before. */
import type { AuditEntry } from '@/lib/domain/actions/audit';
import type { FollowedSubject } from '@/lib/domain/actions/followed';
import { type Whom, whomOf } from '@/lib/domain/actions/whom';
import { holdersWith, unlistedHolders, wouldList } from '@/lib/domain/holders';
import type { Lock, Party, Semaphore, Subject } from '@/lib/domain/model';
import { hasReturned, isNamed } from '@/lib/domain/return';
import { tenureOf } from '@/lib/domain/tenure';
import { type Step, says } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';

const sessionsMax = 20;

export type Seen = Omit<FollowedSubject, 'subject'>;
/** The row of a subject; `null`: it is not there. */
export type Row = Lock | Semaphore | { readonly kind: 'session' } | null;

export function rowIn(snapshot: Snapshot, subject: Subject): Row {
  switch (subject.kind) {
    case 'lock':
      return snapshot.locks.find(({ key }) => key === subject.key) ?? null;
    case 'semaphore':
      return snapshot.semaphores.find(({ prefix }) => prefix === subject.prefix) ?? null;
    case 'session':
      return snapshot.sessions.some(({ id }) => id === subject.id) ? { kind: 'session' } : null;
  }
}

/** Whether a step may have changed what is seen of a subject. */
export function isAbout({ patch }: Step, subject: Subject): boolean {
  switch (subject.kind) {
    case 'lock':
      return says(patch, 'locks', subject.key);
    case 'semaphore':
      return says(patch, 'semaphores', subject.prefix);
    case 'session':
      return says(patch, 'sessions', subject.id);
  }
}

const isThere = (row: Row): row is NonNullable<Row> => row !== null && (row.kind !== 'lock' || row.exists);

const holdersOf = (row: Row): readonly Party[] =>
  row?.kind === 'semaphore' ? row.holders.filter(({ verdict }) => verdict !== 'ghost') : [];

/**
 * Slots that the action opened in this semaphore. Holders who leave by themselves meanwhile open others, and who comes into those
 * comes for another reason.
 */
function openedIn(before: Semaphore, now: Semaphore, action: AuditEntry['action']): number {
  if (action === 'semaphore.prune') return holdersWith(before, 'ghost');
  if (action !== 'semaphore.resize') return 1;
  return now.limit === null || before.limit === null ? 0 : Math.max(0, now.limit - before.limit);
}

/** Whether as many have come as can come for this action. */
export function isFilled(before: Row, now: Row, came: number, action: AuditEntry['action']): boolean {
  if (now?.kind !== 'semaphore' || before?.kind !== 'semaphore') return true;
  const there = new Set(now.holders.map(({ sessionId }) => sessionId));
  const stayed = before.holders.filter(({ sessionId }) => there.has(sessionId)).length + unlistedHolders(now);
  const opened = openedIn(before, now, action);
  const open = now.limit === null ? opened : Math.min(opened, now.limit - stayed);
  return came >= open || now.waiters.length === 0;
}

/** Who held or waited before, and which of them have left; `sessions`: all that there were. */
interface Earlier {
  readonly sessions: ReadonlySet<string>;
  readonly beside: readonly Party[];
  readonly left: readonly Party[];
}

/** Who came: only a world that moves shows anybody come, so what it says of them is of now. */
function takenBy(came: readonly Party[], earlier: Earlier): Seen {
  const told = came.slice(0, sessionsMax);
  const again = told.filter((party) => earlier.left.some((left) => hasReturned(left, party, earlier)));
  return {
    what: 'taken',
    by: told.map(({ sessionId }) => sessionId),
    ...(again.length === 0 ? {} : { again: again.map(({ sessionId }) => sessionId) }),
    whom: told.map((party) => whomOf(party, true)),
  };
}

/**
 * Those who waited when the limit was changed: Go's clients fail at once then, and what becomes of them is what the change did.
 * `left`: they are listed no more, and hold no slot.
 */
export interface Queue {
  readonly waited: number;
  readonly waiting: Map<string, Party>;
  readonly left: { readonly party: Party; readonly afterMs: number }[];
}

export function queueOf(before: Row, action: AuditEntry['action']): Queue | null {
  if (action !== 'semaphore.resize' || before?.kind !== 'semaphore') return null;
  const waiting = new Map(before.waiters.map((party) => [party.sessionId, party]));
  return { waited: waiting.size, waiting, left: [] };
}

/** Notes who of them is not where they were. */
export function lookAtQueue({ waiting, left }: Queue, now: Row, afterMs: number): void {
  const { waiters = [], holders = [] } = now?.kind === 'semaphore' ? now : {};
  const listed = new Set(waiters.map(({ sessionId }) => sessionId));
  const came = new Set(holders.map(({ sessionId }) => sessionId));
  for (const [id, party] of waiting) {
    if (listed.has(id)) continue;
    waiting.delete(id);
    if (!came.has(id)) left.push({ party, afterMs });
  }
}

export function queueTold({ waited, waiting, left }: Queue, whom: readonly Whom[]): Partial<Seen> {
  const told = left.slice(0, sessionsMax);
  return {
    waited,
    waiting: waiting.size,
    leftInAll: left.length,
    ...(told.length === 0
      ? {}
      : {
          left: told.map(({ party }) => party.sessionId),
          leftMs: told.map(({ afterMs }) => afterMs),
          // As they were named before: nothing shows them any more.
          whom: [...whom, ...told.map(({ party }) => whomOf(party, false))],
        }),
  };
}

/** What of a lock says that nobody held it at some look. */
const sawNobody: ReadonlySet<Seen['what']> = new Set<Seen['what']>(['nobody-came', 'in-delay', 'gone']);

function seenOfLock(was: Lock | null, now: Lock, last: Seen['what'], sessions: ReadonlySet<string>): Seen {
  // A new acquisition, by another session or by the same one again: of who was out also where a plain write lost the count.
  const taken =
    was === null ||
    now.holder?.sessionId !== was.holder?.sessionId ||
    tenureOf(was, now) === 'retaken' ||
    sawNobody.has(last);
  if (now.state === 'held' && taken) {
    const left = was?.holder == null ? [] : [was.holder];
    return takenBy(now.holder === null ? [] : [now.holder], { sessions, left, beside: [] });
  }
  if (now.state === 'delayed') return { what: 'in-delay', untilMs: now.delayedUntilMs };
  return { what: now.state === 'free' && was?.state !== 'free' ? 'nobody-came' : 'not-seen' };
}

/** The action, and the sessions that there were before it. */
interface Meant extends Pick<Earlier, 'sessions'> {
  readonly entry: Pick<AuditEntry, 'action'>;
  /** Of a resize. */
  readonly limit: number | null;
}

/** What the row tells, compared with the row before the action (`null`: that was not in view), and after what was told `last`. */
export function seenIn(before: Row, now: Row, { entry, limit, sessions }: Meant, last: Seen): Seen {
  // The name of an entry that is gone is in view for as long as its lock-delay runs.
  if (!isThere(now)) return { what: isThere(before) ? 'gone' : 'not-seen' };
  if (now.kind === 'session') return { what: 'not-seen' };
  if (now.kind === 'semaphore') {
    const was = holdersOf(before).map(({ sessionId }) => sessionId);
    const came = holdersOf(now).filter(
      (one) => !was.includes(one.sessionId) && (before?.kind !== 'semaphore' || wouldList(before, one)),
    );
    if (came.length > 0) {
      const there = new Set(now.holders.map(({ sessionId }) => sessionId));
      const left = holdersOf(before).filter((one) => !there.has(one.sessionId) && wouldList(now, one));
      const waiters = before?.kind === 'semaphore' ? before.waiters : [];
      return takenBy(came, { sessions, left, beside: [...holdersOf(before), ...waiters] });
    }
    // It frees nothing, so that nobody came would be no news of it.
    if (entry.action === 'semaphore.resize') {
      const changed = before?.kind === 'semaphore' && before.limit !== now.limit && now.limit === limit;
      return { what: changed ? 'limit-changed' : 'not-seen' };
    }
    const moved = before?.kind !== 'semaphore' || before.modifyIndex !== now.modifyIndex;
    return { what: moved ? 'nobody-came' : 'not-seen' };
  }
  return seenOfLock(before?.kind === 'lock' ? before : null, now, last.what, sessions);
}

/** What is on record of a subject after one more look at it, `afterMs` after the outcome: of each step when it was first seen. */
export function seenNext(last: Seen, seen: Seen, afterMs: number): Seen {
  if (seen.what === 'gone') return last.what === 'gone' ? last : { ...seen, afterMs };
  // Somebody else may have changed it back meanwhile.
  if (seen.what === 'not-seen' && last.what === 'limit-changed') return last;
  if (seen.what !== 'taken') return seen;
  const { by = [], again = [], whom = [], eachMs = [] } = last.what === 'taken' ? last : {};
  const more = (seen.by ?? []).flatMap((id, i) => (by.includes(id) ? [] : [{ id, whom: seen.whom?.[i] }]));
  // The name of one that came without may come later.
  const named = whom.map((one) =>
    one.label === null ? (seen.whom?.find(({ session }) => session === one.session) ?? one) : one,
  );
  const returned = [...new Set([...again, ...(seen.again ?? [])])];
  const all = {
    by: [...by, ...more.map(({ id }) => id)].slice(0, sessionsMax),
    ...(returned.length === 0 ? {} : { again: returned.slice(0, sessionsMax) }),
    whom: [...named, ...more.flatMap((one) => one.whom ?? [])].slice(0, sessionsMax),
    eachMs: [...eachMs, ...more.map(() => afterMs)].slice(0, sessionsMax),
  };
  return { what: 'taken', ...all, afterMs: last.what === 'taken' ? (last.afterMs ?? afterMs) : afterMs };
}

/** A lock that was taken by one without a name, from one that had one: it may write its name in a moment. */
export const isNameless = (before: Row, { what, whom = [] }: Seen): boolean =>
  before?.kind === 'lock' &&
  before.holder !== null &&
  isNamed(before.holder) &&
  what === 'taken' &&
  whom.some(({ label }) => label === null);
