/** Compares a world with the one before an action: clients that are out, clients that have come, and free places. */
import { freeOf } from '@/lib/domain/capabilities';
import { holdersOf, unlistedHolders, wouldList } from '@/lib/domain/holders';
import type { Lock, Party, Semaphore } from '@/lib/domain/model';
import { hasReturned } from '@/lib/domain/returned-client';
import { tenureOf } from '@/lib/domain/tenure';
import { descriptorOf } from './action';
import type { Aftermath, AftermathRow, AftermathStep, Place, ShownCode } from './aftermath';
import { targetOf, whomOf } from './whom';

const isGhost = ({ verdict }: Party) => verdict === 'ghost';
const idsOf = (parties: readonly Party[]) => new Set(parties.map(({ sessionId }) => sessionId));

type Fact = Pick<AftermathStep<ShownCode>, 'code'> &
  Partial<Pick<AftermathStep, 'whom' | 'count' | 'untilMs'>>;
type Meant = Pick<Aftermath, 'action' | 'sessions'>;

/** A key that went with its session stays in view while its lock-delay runs. */
const isThere = (row: AftermathRow) => row !== null && (row.kind !== 'lock' || row.exists);
const left = (party: Party): Fact => ({ code: 'gone', whom: whomOf(party, false) });

const holdersIn = (lock: Lock | null): readonly Party[] => (lock === null ? [] : holdersOf(lock));

/** Facts about one of several readers, or about one waiter: the one in question is out, and others are new. */
function factsOfOne(was: Lock, now: Lock | null, id: string | null): Fact[] {
  const [before, after] = [holdersIn(was), holdersIn(now)];
  const [had, holds, waits] = [idsOf(before), idsOf(after), idsOf(now?.waiters ?? [])];
  const out = [...before, ...(was.waiters ?? [])].filter(
    ({ sessionId }) => sessionId === id && !holds.has(sessionId) && !waits.has(sessionId),
  );
  return [
    ...out.map(left),
    ...(now?.state === 'free' && was.state !== 'free' ? [{ code: 'lock-free' as const }] : []),
    ...after
      .filter(({ sessionId }) => !had.has(sessionId))
      .map((one): Fact => ({ code: 'taken', whom: whomOf(one, true) })),
  ];
}

function lockFacts(was: Lock | null, now: Lock | null, isOut: boolean, { action, sessions }: Meant): Fact[] {
  const old = was?.holder ?? null;
  if (now?.state === 'unknown') return [];
  const isOne =
    descriptorOf(action).hits === 'waiter' || holdersIn(was).length > 1 || holdersIn(now).length > 1;
  if (was !== null && isOne) return factsOfOne(was, now, targetOf(action, was));
  const holder = now?.holder ?? null;
  // A plain write resets the count of acquisitions, so a holder that was seen to be out has acquired the lock
  // again.
  const isSame = holder !== null && holder.sessionId === old?.sessionId;
  if (isSame && !isOut && was !== null && now !== null && tenureOf(was, now) !== 'retaken') return [];
  const facts = old === null ? [] : [left(old)];
  if (isThere(was) && !isThere(now)) facts.push({ code: 'entry-gone' });
  if (now?.state === 'delayed') facts.push({ code: 'delayed', untilMs: now.delayedUntilMs });
  if (now?.state === 'free' && was?.state !== 'free') facts.push({ code: 'lock-free' });
  if (holder === null) return facts;
  const isBack = old !== null && hasReturned(old, holder, { sessions, beside: [] });
  const code = isSame ? 'retaken' : isBack ? 'returned' : 'taken';
  return [...facts, { code, whom: whomOf(holder, true) }];
}

function semaphoreFacts(was: Semaphore | null, now: Semaphore, { action, sessions }: Meant): Fact[] {
  const holders = was?.holders ?? [];
  const listed = idsOf(now.holders);
  const gone = holders.filter((one) => !listed.has(one.sessionId) && wouldList(now, one));
  const out = gone.filter((one) =>
    descriptorOf(action).hits === 'ghosts'
      ? isGhost(one)
      : 'sessionId' in action && one.sessionId === action.sessionId,
  );
  const waits = idsOf(now.waiters);
  const outOfQueue =
    descriptorOf(action).hits !== 'waiter' || !('sessionId' in action)
      ? []
      : (was?.waiters ?? []).filter(
          ({ sessionId }) =>
            sessionId === action.sessionId && !waits.has(sessionId) && !listed.has(sessionId),
        );
  const slots = Math.min(out.length, (now.limit ?? 0) - now.holders.length - unlistedHolders(now));
  const facts: Fact[] = [...out, ...outOfQueue].map(left);
  const free = freeOf(now);
  if (typeof free === 'number' && was !== null && freeOf(was) !== free)
    facts.push({ code: 'available', count: free });
  if (slots > 0) facts.push({ code: 'slot-free', count: slots });
  if (!('limit' in action)) {
    if (was === null || was.modifyIndex !== now.modifyIndex) facts.push({ code: 'record-written' });
  } else if (was !== null && was.limit !== now.limit && now.limit === action.limit)
    facts.push({ code: 'limit', count: now.limit });
  const had = idsOf(holders.filter((one) => !isGhost(one)));
  const names = new Set(gone.map(({ label }) => label));
  const around = { sessions, beside: [...holders, ...(was?.waiters ?? [])] };
  for (const one of now.holders) {
    if (isGhost(one) || had.has(one.sessionId) || (was !== null && !wouldList(was, one))) continue;
    const isBack = names.has(one.label) && gone.some((party) => hasReturned(party, one, around));
    facts.push({ code: isBack ? 'returned' : 'taken', whom: whomOf(one, true) });
  }
  return facts;
}

/** The differences of a row from before the action, as far as the action may be the reason. */
export function factsOf({ subject, before, seen }: Place, row: AftermathRow, meant: Meant): Fact[] {
  if (subject.kind === 'lock') {
    const [was, now] = [before, row].map((one) => (one?.kind === 'lock' ? one : null));
    const isOut = seen.some(({ code }) => code === 'gone');
    return lockFacts(was ?? null, now ?? null, isOut, meant);
  }
  if (row?.kind === 'semaphore')
    return semaphoreFacts(before?.kind === 'semaphore' ? before : null, row, meant);
  if (row !== null || before === null) return [];
  return [{ code: subject.kind === 'session' ? 'session-gone' : 'entry-gone' }];
}
