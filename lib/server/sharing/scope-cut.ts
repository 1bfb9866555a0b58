/**
 * Cuts a world down to a grant's scope. Nothing outside the scope is in the result: no row, no name, no count. Findings
 * are computed from the cut world, as a finding of the whole world could rest on rows outside the scope.
 *
 * Judging needs stored values (who queues, which sessions are one process) even where the grant hides them. So there
 * are two worlds: findings come from `judged`, and `shown` leaves the server. Unchanged rows keep their identity, which
 * keeps the diff to the previous world cheap.
 *
 * Without sessions, a row is as a person sees it who may read keys only: holders and waiters are ids.
 *
 * A row keeps its shape for programs, but the fields that no reader sees are empty: sessions that neither hold nor
 * wait, entry keys, flags and turnover. Every Consul index is empty too, as indexes would let a reader count writes
 * elsewhere.
 */

import type { Finding, Ground } from '@/lib/domain/findings/finding';
import {
  type Evidence,
  type EvidenceCode,
  type Holder,
  type Lock,
  type Party,
  type Semaphore,
  type Session,
  shortId,
  type Waiter,
  type World,
} from '@/lib/domain/model';
import { covers, type Scope } from '@/lib/domain/sharing/grant';
import { partOf, type SourceState } from '@/lib/domain/source-state';
import { lockSubject, semaphoreSubject, sessionName } from '@/lib/domain/subject';
import { fact } from '@/lib/domain/verdict';
import { unread } from '@/lib/domain/world/snapshot';

/** The name that does not come from a stored value. */
const plainLabel = ({ sessionId, session }: Party) => session?.name || shortId(sessionId);

/**
 * The details of this evidence name things outside a scope: an agent's address (as in `cutSource`), or another lock.
 */
const named: ReadonlySet<EvidenceCode> = new Set<EvidenceCode>(['renewal-observed', 'redis-thread-lost']);
const placeless = (evidence: readonly Evidence[]): readonly Evidence[] =>
  evidence.map((fact) => (named.has(fact.code) ? { ...fact, detail: null } : fact));
const placelessParty = <P extends Party>(party: P): P => ({ ...party, evidence: placeless(party.evidence) });
/** Drops what comes from a hidden value: the owner's name, and the time that the value names. */
const plainParty = <P extends Party>(party: P): P => ({
  ...placelessParty(party),
  label: plainLabel(party),
  since: party.since?.basis === 'value' ? null : party.since,
});
/**
 * Drops the facts of the session. A ghost shows in the entries alone. The label is the id, as with values shown it
 * could be the session's name.
 */
const blindParty = <P extends Party>(party: P): P => ({
  ...party,
  session: null,
  label: shortId(party.sessionId),
  verdict: party.verdict === 'ghost' ? 'ghost' : 'unknown',
  evidence: [
    ...party.evidence.filter(({ source }) => source === 'kv'),
    ...(party.verdict === 'ghost' || party.expiry.kind === 'lease' ? [] : [fact('session-not-visible')]),
  ],
  expiry: { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null },
});
/**
 * A lock-delay blocks every client, so the state stays. Its end is a setting of the session and goes. A lock shown as
 * free would make clients wait for a lock that Consul refuses.
 */
const blindLock = (lock: Lock): Lock => ({
  ...lock,
  delay: null,
  delayedUntilMs: null,
  ...(lock.unwoken === undefined ? {} : { unwoken: { ...lock.unwoken, evidence: [] } }),
  ...holdersAs(lock, blindParty),
  ...waitersAs(lock, blindParty),
});
const blindSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...semaphore,
  holders: semaphore.holders.map(blindParty),
  waiters: semaphore.waiters.map(blindParty),
});
const asItIs = <T>(row: T): T => row;

/** Empties facts of the backend, where there are any. */
function emptied<T extends object>(row: T, names: readonly (keyof T)[]): T {
  const empty = names.flatMap((name) => (row[name] == null ? [] : [[name, '']]));
  return { ...row, ...Object.fromEntries(empty) };
}
const placelessWaiter = (waiter: Waiter): Waiter =>
  emptied(placelessParty(waiter), ['entryKey', 'arrivedIndex']);
/** The visible waiters of a lock, where the backend shows them. */
const waitersAs = (lock: Lock, as: (waiter: Waiter) => Waiter): Pick<Lock, 'waiters'> => ({
  waiters: lock.waiters?.map(as) ?? null,
});
/** The holder, and further readers of a read-write lock. */
const holdersAs = (
  { holder, readers }: Lock,
  as: (holder: Holder) => Holder,
): Pick<Lock, 'holder' | 'readers'> => ({
  holder: holder === null ? null : as(holder),
  ...(readers === undefined ? {} : { readers: readers.map(as) }),
});
const bareParty = <P extends Party>(party: P): P => ({ ...party, value: null });

const placelessLock = (lock: Lock): Lock => ({
  ...emptied(lock, ['createIndex', 'modifyIndex', 'lockIndex']),
  ...holdersAs(lock, placelessParty),
  ...waitersAs(lock, placelessWaiter),
});
const plainLock = (lock: Lock): Lock => ({
  ...placelessLock(lock),
  details: [],
  leftBehind: null,
  ...holdersAs(lock, plainParty),
  ...waitersAs(lock, (waiter) => plainParty(placelessWaiter(waiter))),
});
/** Drops what judging needs and no reader sees. */
const leanLock = (lock: Lock): Lock => ({ ...emptied(lock, ['flags']), turnover: null });
const bareLock = (lock: Lock): Lock => ({
  ...leanLock(lock),
  value: null,
  ...holdersAs(lock, bareParty),
  ...waitersAs(lock, bareParty),
});

const placelessSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...emptied(semaphore, ['createIndex', 'modifyIndex']),
  holders: semaphore.holders.map(placelessParty),
  waiters: semaphore.waiters.map(placelessWaiter),
});
const plainSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...placelessSemaphore(semaphore),
  holders: semaphore.holders.map(plainParty),
  waiters: semaphore.waiters.map(placelessWaiter).map(plainParty),
  // The detail quotes the entry.
  problems: semaphore.problems.map(({ code }) => ({ code, detail: null })),
});
const leanSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...emptied(semaphore, ['flags']),
  leftovers: [],
  turnover: null,
});
const bareSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...leanSemaphore(semaphore),
  value: null,
  holders: semaphore.holders.map(bareParty),
  waiters: semaphore.waiters.map(bareParty),
});

/** Runs `change` once for each row object. */
function once<A extends object, B>(change: (row: A) => B): (row: A) => B {
  const cache = new WeakMap<A, { readonly of: B }>();
  return (row) => {
    const known = cache.get(row) ?? { of: change(row) };
    cache.set(row, known);
    return known.of;
  };
}

export interface Cut {
  world(world: World): { readonly judged: World; readonly shown: World };
  /** Findings of `judged`, without what the grant hides. */
  findings(judged: World, findings: readonly Finding[]): readonly Finding[];
}

export function createCut(scope: Scope): Cut {
  const { values } = scope;
  const [seenLock, seenSemaphore] = scope.sessions ? [asItIs, asItIs] : [blindLock, blindSemaphore];
  const [cutLock, cutSemaphore] = values ? [placelessLock, placelessSemaphore] : [plainLock, plainSemaphore];
  const plain = {
    lock: once((lock: Lock) => cutLock(seenLock(lock))),
    semaphore: once((semaphore: Semaphore) => cutSemaphore(seenSemaphore(semaphore))),
  };
  /** A deleted key stays in view only for its lock-delay, which is a fact of a session. */
  const isShown = (lock: Lock) => inScope(lockSubject(lock)) && (scope.sessions || lock.exists);
  const bare = {
    lock: once(values ? leanLock : bareLock),
    semaphore: once(values ? leanSemaphore : bareSemaphore),
  };
  const inScope = (subject: Session['holds'][number]) => covers(scope, subject);
  /** The session with its holds and wants in the scope; `null` when it has none. */
  const cutSession = once((session: Session): Session | null => {
    const [holds, wants] = [session.holds.filter(inScope), session.wants.filter(inScope)];
    return holds.length + wants.length === 0 ? null : { ...session, createIndex: '', holds, wants };
  });
  return {
    world: (world) => {
      const judged: World = {
        scope: 'part',
        locks: world.locks.filter(isShown).map(plain.lock),
        semaphores: world.semaphores
          .filter((semaphore) => inScope(semaphoreSubject(semaphore)))
          .map(plain.semaphore),
        sessions: scope.sessions ? world.sessions.flatMap((session) => cutSession(session) ?? []) : [],
      };
      return {
        judged,
        shown: {
          ...judged,
          locks: judged.locks.map(bare.lock),
          semaphores: judged.semaphores.map(bare.semaphore),
          sessions: [],
        },
      };
    },
    findings: ({ sessions }, findings) => {
      const names = new Map(sessions.map((one) => [sessionName(one), one.name || shortId(one.id)]));
      return findings.map((finding) => cutFinding(finding, values ? null : names));
    },
  };
}

/**
 * Drops the actions, as a reader cannot act, and the evidence, which stands in the rows. Without values, labels come
 * from session names, as an owner named in values may join several sessions.
 */
function cutFinding(finding: Finding, names: ReadonlyMap<string, string> | null): Finding {
  const grounds = finding.grounds.map(
    (ground): Ground => ({ ...ground, label: labelOf(ground, names), evidence: [], wants: [], mend: null }),
  );
  const cut = { ...finding, grounds, mend: null };
  if (names === null || cut.code !== 'deadlock') return cut;
  const [first, second] = grounds;
  return { ...cut, facts: { ...cut.facts, first: first?.label ?? '', second: second?.label ?? '' } };
}

function labelOf({ subject, label }: Ground, names: ReadonlyMap<string, string> | null): string | null {
  if (names === null || subject.kind !== 'session' || label === null) return label;
  return names.get(sessionName(subject)) ?? shortId(subject.id);
}

/** The source of a scope. Nothing is known of one that is no longer configured. */
export function sourceOfScope(state: SourceState, { source }: Pick<Scope, 'source'>): SourceState {
  const { parts: _, ...none } = unread(state);
  return partOf(state, source) ?? { ...none, id: source, title: source };
}

/** Keeps the freshness; drops addresses and failed calls, which name keys. */
export function cutSource(source: SourceState): SourceState {
  const { problem } = source;
  const why = problem?.why ?? null;
  // The system's own word for a failure names no place, but `where` in a file is a name from that file.
  const facts =
    why?.code === 'not-reached' || why?.code === 'file-not-read'
      ? { errno: why.facts.errno }
      : why?.code === 'file-not-understood'
        ? { where: '' }
        : {};
  return {
    ...source,
    origin: '',
    renewals: [],
    problem:
      problem === null
        ? null
        : { code: problem.code, ...(why === null ? {} : { why: { code: why.code, facts } as typeof why }) },
  };
}
