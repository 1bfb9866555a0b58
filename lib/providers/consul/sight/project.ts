/**
 * Cuts a world, judged with everything in view, to the view of one sight. Verdicts stay, even on hidden evidence,
 * because a live holder with a hidden proof is no ghost. A note marks hidden evidence.
 *
 * - A lock, semaphore or waiter with an unreadable entry is absent. `part` marks a semaphore that may have hidden
 *   entries. A semaphore without its own entry shows through its contenders.
 * - A record beside a lock, its session's name and the client type from them are as readable as their sources
 *   (`recognise/basis.ts`).
 * - Names are made distinct among visible parties only, and flags are called wrong by readable entries only.
 * - The coordination entry names a holder whose own entry is unreadable, without that entry's value.
 * - An unreadable session is an id, without lifetime, lock-delay and name.
 *
 * Fully visible rows are the same objects, and cut rows are cached, so differences to the last world stay cheap to
 * find.
 */

import type { Lock, Semaphore, Session, Subject, Waiter, World } from '@/lib/domain/model';
import { find } from '@/lib/domain/sorted';
import { same } from '@/lib/domain/world/change';
import { type LockKind, lockBasis, semaphoreBasis } from '@/lib/providers/consul/recognise/basis';
import { alone, toldApart } from '@/lib/providers/consul/recognise/distinct-names';
import { coordinationKey } from '@/lib/providers/consul/rows/coordination';
import {
  bits,
  everything,
  isWhole,
  partyAs,
  partyKeys,
  seenOf,
  unrecorded,
  type Visibility,
} from './cut-party';
import type { Sight } from './sight';

/** The other key that feeds a lock's row, or `null`. */
export const recordKey = (lock: Lock): string | null => lockBasis(lock)?.record ?? null;

/** A row under some rights. `name` identifies its visible parts, and `make` makes it. */
interface Cut<B> {
  readonly name: string;
  readonly make: () => B;
}

/**
 * Caches the visible row. An unchanged row and generation skip the check, and unchanged rights to it skip the copy.
 * `null`: the row is hidden.
 */
function lasting<A extends object, B>(
  cut: (row: A, sight: Sight) => Cut<B> | null,
): (row: A, sight: Sight) => B | null {
  const made = new WeakMap<
    A,
    { readonly generation: number; readonly name: string; readonly is: B | null }
  >();
  return (row, sight) => {
    const { generation } = sight;
    const known = made.get(row);
    if (known?.generation === generation) return known.is;
    const now = cut(row, sight);
    const is = now === null ? null : known?.is != null && known.name === now.name ? known.is : now.make();
    made.set(row, { generation, name: now?.name ?? '', is });
    return is;
  };
}

/** The kind of a lock without conclusions from an unreadable name or record. */
function kindAs(lock: Lock, name: boolean, record: boolean): LockKind {
  const basis = lockBasis(lock);
  if (basis === null) return lock;
  const kind = name ? (record ? lock : (basis.unrecorded ?? lock)) : record ? basis.unnamed : basis.bare;
  return lock.exists ? kind : { layout: kind.layout, details: [] };
}

function lockAs(lock: Lock, holder: Visibility, delay: boolean, record: boolean): Lock {
  const isAsItIs = isWhole(holder) && delay && record;
  if (isAsItIs) return lock;
  const { layout, details } = kindAs(lock, holder.session && delay, record);
  const party = record ? partyAs : unrecorded;
  return {
    ...lock,
    layout,
    holder: lock.holder === null ? null : party(lock.holder, holder),
    // The lock's delay stays, because the operator would otherwise wait for a lock that Consul refuses.
    delay: delay ? lock.delay : null,
    delayedUntilMs: delay ? lock.delayedUntilMs : null,
    details,
    leftBehind: record ? lock.leftBehind : null,
  };
}

const sameList = <T>(before: readonly T[], after: readonly T[]) =>
  before.length === after.length && before.every((one, i) => one === after[i]);

function kept<T>(before: readonly T[] | undefined, after: readonly T[]): readonly T[] {
  if (before === undefined || before.length !== after.length) return after;
  // A change in hidden parts must not show.
  const rows = after.map((row, i) => (row !== before[i] && same(row, before[i]) ? (before[i] as T) : row));
  return sameList(before, rows) ? before : rows;
}

function listing<A, B>(of: (row: A, sight: Sight) => B | null) {
  let rows: readonly A[] | undefined;
  let generation = -1;
  let seen: readonly B[] | undefined;
  return (next: readonly A[], sight: Sight): readonly B[] => {
    if (seen !== undefined && next === rows && sight.generation === generation) return seen;
    rows = next;
    generation = sight.generation;
    const now: B[] = [];
    for (const row of next) {
      const is = of(row, sight);
      if (is !== null) now.push(is);
    }
    seen = kept(seen, now);
    return seen;
  };
}

/** A check exists as part of the session; its name and status are hidden. */
const blindCheck = (_: unknown, at: number) => ({ name: `#${at + 1}`, status: 'unknown' as const });

function lockCut(lock: Lock, sight: Sight): Cut<Lock> | null {
  if (!sight.key(lock.key)) return null;
  const holder = lock.holder === null ? everything : seenOf(lock.holder, sight, true);
  const delay = lock.delay === null || sight.sessions(lock.delay.node);
  const key = recordKey(lock);
  const record = key === null || sight.key(key);
  return {
    name: `${bits(holder)}${delay ? 1 : 0}${record ? 1 : 0}`,
    make: () => lockAs(lock, holder, delay, record),
  };
}

/** True when the sight may name this waiter. In Consul every waiter has an entry. */
const mayName = ({ entryKey }: Waiter, sight: Sight) => entryKey !== undefined && sight.key(entryKey);

function semaphoreCut(semaphore: Semaphore, sight: Sight): Cut<Semaphore> | null {
  const { prefix } = semaphore;
  if (!sight.key(coordinationKey(prefix))) return null;
  const holders = semaphore.holders.map((holder) =>
    seenOf(holder, sight, partyKeys(prefix, holder).every(sight.key)),
  );
  const waiters = semaphore.waiters.map((waiter) =>
    mayName(waiter, sight) ? seenOf(waiter, sight, partyKeys(prefix, waiter).every(sight.key)) : null,
  );
  const leftovers = semaphore.leftovers.map((key) => sight.key(key));
  const isThere = semaphore.modifyIndex !== null || leftovers.includes(true);
  if (!isThere && waiters.every((seen) => seen === null)) return null;
  const part = !sight.contenders(prefix) || waiters.includes(null) || leftovers.includes(false);
  const kind = semaphoreBasis(semaphore)?.as(sight.key) ?? semaphore;
  const isKind = kind.layout === semaphore.layout && same(kind.problems, semaphore.problems);
  const name = [
    part ? 'part' : 'whole',
    isKind ? '' : JSON.stringify([kind.layout, kind.problems]),
    holders.map(bits).join(''),
    waiters.map((seen) => (seen === null ? '-' : bits(seen))).join(''),
    leftovers.map(Number).join(''),
  ].join('/');
  const make = (): Semaphore => {
    const isAsItIs =
      !part && isKind && [...holders, ...waiters].every((seen) => seen !== null && isWhole(seen));
    if (isAsItIs) return semaphore;
    const told = {
      holders: semaphore.holders.map((holder, i) => alone(partyAs(holder, holders[i] ?? everything))),
      waiters: semaphore.waiters.flatMap((waiter, i): Waiter[] => {
        const seen = waiters[i] ?? null;
        return seen === null ? [] : [alone(partyAs(waiter, seen))];
      }),
    };
    // A longer name would reveal a hidden party of that name.
    const parties = [...told.holders, ...told.waiters];
    return {
      ...semaphore,
      holders: toldApart(told.holders, parties),
      waiters: toldApart(told.waiters, parties),
      layout: kind.layout,
      problems: isKind ? semaphore.problems : kind.problems,
      leftovers: semaphore.leftovers.filter((_, i) => leftovers[i]),
      ...(part ? { part: true as const } : {}),
    };
  };
  return { name, make };
}

const isTold = (subject: Subject, sight: Sight) =>
  subject.kind === 'session' ||
  sight.key(subject.kind === 'lock' ? subject.key : coordinationKey(subject.prefix));

/** A reader without a right to this entry must not see that the session waits. */
function mayWant(sessionId: string, subject: Subject, sight: Sight, semaphores: Semaphores): boolean {
  if (!isTold(subject, sight) || subject.kind !== 'semaphore') return isTold(subject, sight);
  const mine = semaphores(subject.prefix)?.waiters.find((waiter) => waiter.sessionId === sessionId);
  return mine !== undefined && mayName(mine, sight);
}

/** Looks up a semaphore in the uncut world. */
type Semaphores = (prefix: string) => Semaphore | undefined;

const sessionCut =
  (semaphores: Semaphores) =>
  (session: Session, sight: Sight): Cut<Session> | null => {
    if (!sight.sessions(session.node)) return null;
    const health = sight.health(session.node);
    const holds = session.holds.map((subject) => isTold(subject, sight));
    const wants = session.wants.map((subject) => mayWant(session.id, subject, sight, semaphores));
    const make = (): Session => {
      if (health && ![...holds, ...wants].includes(false)) return session;
      return {
        ...session,
        holds: session.holds.filter((_, i) => holds[i]),
        wants: session.wants.filter((_, i) => wants[i]),
        ...(health ? {} : { nodeStatus: 'unknown' as const, checks: session.checks.map(blindCheck) }),
      };
    };
    return { name: `${health ? 1 : 0}/${holds.map(Number).join('')}/${wants.map(Number).join('')}`, make };
  };

/** Cuts successive worlds for one sight, whose answers may change in between. */
export function createProjection(): (world: World, sight: Sight) => World {
  let whole: readonly Semaphore[] = [];
  const locksIn = listing(lasting(lockCut));
  const semaphoresIn = listing(lasting(semaphoreCut));
  const sessionsIn = listing(lasting(sessionCut((prefix) => find(whole, prefix, (one) => one.prefix))));
  let last: World | null = null;
  let lastRenewals: World['renewals'];

  return (world, sight) => {
    whole = world.semaphores;
    const locks = locksIn(world.locks, sight);
    const semaphores = semaphoresIn(world.semaphores, sight);
    const sessions = sessionsIn(world.sessions, sight);
    let renewals = last?.renewals;
    if (sessions !== last?.sessions || world.renewals !== lastRenewals) {
      const busy = sessions.filter(({ holds, wants }) => holds.length + wants.length > 0);
      const ids = new Set(busy.map(({ id }) => id));
      const seen = world.renewals?.filter(({ id }) => ids.has(id));
      renewals = seen && kept(renewals, seen);
      lastRenewals = world.renewals;
    }
    // A right to every name without a rule may still leave something hidden.
    const isCut =
      locks.length + semaphores.length + sessions.length <
        world.locks.length + world.semaphores.length + world.sessions.length ||
      semaphores.some(({ part }) => part) ||
      sessions.some((session, i) => session.holds.length < (world.sessions[i]?.holds.length ?? 0));
    const scope = sight.whole && !isCut && world.scope === 'whole' ? 'whole' : 'part';
    const isSame =
      last !== null &&
      last.scope === scope &&
      last.locks === locks &&
      last.semaphores === semaphores &&
      last.sessions === sessions &&
      last.renewals === renewals;
    if (last === null || !isSame)
      last = { scope, locks, semaphores, sessions, ...(renewals === undefined ? {} : { renewals }) };
    return last;
  };
}
