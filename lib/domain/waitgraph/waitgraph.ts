/**
 * The wait-for graph: clients that hold one thing and want another. A deadlock is a knot in it.
 *
 * Any holder can free a waiter of its semaphore, so a circle proves nothing. A deadlock is a set of clients of which
 * none can proceed. The search marks every client that may proceed, with everything that it may give back, until
 * nothing more follows. The unmarked clients are stuck.
 *
 * - A client may proceed when it wants nothing visible, when one of its wants may be granted, or when its session may
 *   end.
 * - A want may be granted when a slot is free or a ghost's, when the entry or one of its holders cannot be judged, or
 *   when one of its holders may proceed.
 *
 * So every doubt speaks against a deadlock. A waiting client is assumed idle. Waiters for a plain lock leave no trace,
 * so the search never finds a deadlock through plain locks.
 *
 * Prefixes, keys and session ids are names of rows (`rowName`), so that sources stay apart.
 */
import { holdersWith } from '@/lib/domain/holders';
import {
  type Party,
  type Semaphore,
  type Subject,
  subjectId,
  type Verdict,
  type World,
} from '@/lib/domain/model';
import { rowName, type SourceId } from '@/lib/domain/source';
import { lockName, lockSubject, semaphoreName, semaphoreSubject } from '@/lib/domain/subject';
import { bareLabel, type Joined, joinSessions } from './join';
import { type Knot, knotsOf } from './knot';

/** The reason why several sessions count as one client. */
export type Join = Joined['join'];

/** One session, or several that are known to be one process. */
export interface Client {
  /** The first of its session ids, in order. */
  readonly id: string;
  readonly label: string;
  readonly sessions: readonly string[];
  readonly join: Join;
  /** The worst verdict of its sessions. */
  readonly verdict: Verdict;
  readonly node: string | null;
  /** Names each subject once, even when several of its sessions have slots there. */
  readonly holds: readonly Subject[];
  /** Prefixes of semaphores. Waiting for a plain lock is not visible. */
  readonly wants: readonly string[];
  /** Nothing visible lets it proceed. */
  readonly stuck: boolean;
}

/** The reason why a waiter may be granted a slot although no holder proceeds; `null`: the holders decide. */
export type WayOut = 'free-slot' | 'ghost' | 'entry-not-understood' | 'holder-in-doubt';

/** A semaphore that has waiters, or that a waiting client holds. */
export interface Contested {
  readonly prefix: string;
  readonly limit: number | null;
  /** Ids of clients, without ghosts. */
  readonly holders: readonly string[];
  /** Ids of clients. */
  readonly waiters: readonly string[];
  /** Slots that no client will give back. */
  readonly ghosts: number;
  readonly wayOut: WayOut | null;
}

export interface WaitGraph {
  /** Waiting clients and the clients they wait for, sorted by id. */
  readonly clients: readonly Client[];
  /** Sorted by prefix. */
  readonly contested: readonly Contested[];
  /** Plain locks that waiting clients hold. Their waiters are not visible. */
  readonly locks: readonly string[];
  readonly knots: readonly Knot[];
  /** Clients that want nothing and hold something without visible waiters. */
  readonly apart: number;
}

/** From the least to the most doubtful. */
const severity: readonly Verdict[] = [
  'alive',
  'node-bound',
  'immortal',
  'unknown',
  'suspect',
  'overdue',
  'ghost',
];
const worse = (a: Verdict, b: Verdict) => (severity.indexOf(a) >= severity.indexOf(b) ? a : b);

/** Counts every verdict but `alive`. The most doubtful comes first, because a joint name shows the worst. */
export function doubtsAmong(verdicts: readonly Verdict[]): readonly (readonly [Verdict, number])[] {
  return severity
    .map((verdict) => [verdict, verdicts.filter((one) => one === verdict).length] as const)
    .filter(([verdict, count]) => verdict !== 'alive' && count > 0)
    .reverse();
}

/** A session that may end soon, or that cannot be judged. */
const doubtful: ReadonlySet<Verdict> = new Set<Verdict>(['overdue', 'suspect', 'unknown', 'ghost']);

/** The holds and wants of one session, with its parties. */
interface Draft {
  readonly parties: Party[];
  readonly holds: Subject[];
  readonly wants: string[];
}

function draftsBySession(world: World): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  const draft = (source: SourceId, party: Party): Draft => {
    const id = rowName(source, party.sessionId);
    const known = drafts.get(id);
    if (known !== undefined) {
      known.parties.push(party);
      return known;
    }
    const fresh: Draft = { parties: [party], holds: [], wants: [] };
    drafts.set(id, fresh);
    return fresh;
  };
  for (const semaphore of world.semaphores) {
    const { source, holders, waiters } = semaphore;
    for (const holder of holders)
      if (holder.verdict !== 'ghost') draft(source, holder).holds.push(semaphoreSubject(semaphore));
    for (const waiter of waiters) draft(source, waiter).wants.push(semaphoreName(semaphore));
  }
  for (const lock of world.locks)
    if (lock.holder !== null) draft(lock.source, lock.holder).holds.push(lockSubject(lock));
  return drafts;
}

function wayOutOf({ limit, recorded, holders }: Semaphore): WayOut | null {
  if (limit === null || recorded === null || limit < 1) return 'entry-not-understood';
  if (recorded < limit) return 'free-slot';
  if (holders.some(({ verdict }) => verdict === 'ghost')) return 'ghost';
  return holders.some(({ verdict }) => doubtful.has(verdict)) ? 'holder-in-doubt' : null;
}

const distinct = <T>(values: readonly T[], name: (value: T) => string): T[] => [
  ...new Map(values.map((value) => [name(value), value])).values(),
];

/** The limit differs from the one that a waiter came with, so its library gave up. */
const gaveUp = ({ evidence }: Party) => evidence.some(({ code }) => code === 'limit-changed-while-waiting');

interface Made {
  readonly client: Omit<Client, 'stuck'>;
  /** Its session may end, or its wait is already over. */
  readonly mayProceed: boolean;
}

function make({ sessions, join, label }: Joined, drafts: ReadonlyMap<string, Draft>): Made {
  const own = sessions.flatMap((id) => drafts.get(id) ?? []);
  const parties = own.flatMap((one) => one.parties);
  const verdict = parties.map((party) => party.verdict).reduce(worse, 'alive');
  const holds = own.flatMap((one) => one.holds);
  return {
    client: {
      id: sessions[0] ?? '',
      label,
      sessions,
      join,
      verdict,
      node: parties.find((party) => party.session !== null)?.session?.node ?? null,
      holds: distinct(holds, subjectId),
      wants: [...new Set(own.flatMap((one) => one.wants))],
    },
    mayProceed: doubtful.has(verdict) || parties.some(gaveUp),
  };
}

/** The clients of one session: all sessions that are in none of `joined`. */
function alone(drafts: ReadonlyMap<string, Draft>, joined: readonly Joined[]): Joined[] {
  const taken = new Set(joined.flatMap(({ sessions }) => sessions));
  const rest: Joined[] = [];
  for (const [id, { parties }] of drafts)
    if (!taken.has(id))
      rest.push({ sessions: [id], join: { by: 'session' }, label: parties[0]?.label ?? id });
  return rest;
}

/** `clientOf`: the id of a session's client, by the name of the session's row. */
function contestedOf(semaphore: Semaphore, clientOf: ReadonlyMap<string, string>): Contested {
  const { source, limit, holders, waiters } = semaphore;
  const clientsOf = (parties: readonly Party[]) => [
    ...new Set(parties.flatMap(({ sessionId }) => clientOf.get(rowName(source, sessionId)) ?? [])),
  ];
  return {
    prefix: semaphoreName(semaphore),
    limit,
    holders: clientsOf(holders.filter(({ verdict }) => verdict !== 'ghost')),
    waiters: clientsOf(waiters),
    ghosts: holdersWith(semaphore, 'ghost'),
    wayOut: wayOutOf(semaphore),
  };
}

/** The wait-for graph of a world. The work is linear in holders and waiters. */
export function waitGraphOf(world: World): WaitGraph {
  const drafts = draftsBySession(world);
  const joined = joinSessions(world.semaphores);
  const all = [...joined, ...alone(drafts, joined)].map((one) => make(one, drafts));
  const waitedFor = new Set(world.semaphores.filter((s) => s.waiters.length > 0).map(semaphoreName));
  const isWaitedFor = (subject: Subject) =>
    subject.kind === 'semaphore' && waitedFor.has(semaphoreName(subject));
  const isApart = ({ client }: Made) => client.wants.length === 0 && !client.holds.some(isWaitedFor);
  const shown = all.filter((one) => !isApart(one));

  const clientOf = new Map<string, string>();
  for (const { client } of shown) for (const id of client.sessions) clientOf.set(id, client.id);
  const heldByWaiters = shown.flatMap(({ client }) => (client.wants.length > 0 ? client.holds : []));
  const drawn = new Set(waitedFor);
  for (const subject of heldByWaiters) if (subject.kind === 'semaphore') drawn.add(semaphoreName(subject));
  const contested = world.semaphores
    .filter((semaphore) => drawn.has(semaphoreName(semaphore)))
    .map((semaphore) => contestedOf(semaphore, clientOf));
  const { stuck, knots } = knotsOf(
    shown.map(({ client, mayProceed }) => ({ id: client.id, wants: client.wants, mayProceed })),
    contested,
  );
  return {
    clients: shown
      .map(({ client }): Client => ({ ...client, stuck: stuck.has(client.id) }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    contested,
    locks: [
      ...new Set(heldByWaiters.flatMap((subject) => (subject.kind === 'lock' ? [lockName(subject)] : []))),
    ].sort(),
    knots,
    apart: all.length - shown.length,
  };
}

/** A semaphore whose waiters only a holder can let in. Holders and waiters are here by session and by label. */
interface Blocked {
  /** The two names of each holder. */
  readonly holders: readonly (readonly string[])[];
  readonly waiters: readonly string[];
}

const blockedBy = new WeakMap<Semaphore, Blocked | 'free'>();
const namesOf = (party: Party) => [party.sessionId, bareLabel(party)];

/** `null`: nothing visible blocks the waiters, or there are none. */
function blocked(semaphore: Semaphore): Blocked | null {
  if (semaphore.waiters.length === 0) return null;
  const known = blockedBy.get(semaphore);
  if (known !== undefined) return known === 'free' ? null : known;
  const { holders, waiters } = semaphore;
  const isFree = holders.length === 0 || wayOutOf(semaphore) !== null;
  const fresh = isFree ? 'free' : { holders: holders.map(namesOf), waiters: waiters.flatMap(namesOf) };
  blockedBy.set(semaphore, fresh);
  return fresh === 'free' ? null : fresh;
}

/**
 * False proves that there is no knot, which is usual and far cheaper to find than the graph. True proves nothing. In a knot every holder waits for
 * a semaphore of the knot. So a semaphore is ruled out when one of its holders waits for none of the others that are
 * left, until nothing changes.
 */
export function mayKnot({ semaphores }: Pick<World, 'semaphores'>): boolean {
  const all = semaphores.flatMap((semaphore) => blocked(semaphore) ?? []);
  /** The number of remaining semaphores that each name waits for. */
  const waits = new Map<string, number>();
  for (const { waiters } of all) for (const name of waiters) waits.set(name, (waits.get(name) ?? 0) + 1);
  const mayFreeSlot = ({ holders }: Blocked) =>
    !holders.every((names) => names.some((name) => (waits.get(name) ?? 0) > 0));

  const out = all.filter(mayFreeSlot);
  const left = new Set(all);
  for (const one of out) left.delete(one);
  const heldBy = new Map<string, Blocked[]>();
  for (const one of left)
    for (const name of one.holders.flat()) {
      const blocked = heldBy.get(name);
      if (blocked === undefined) heldBy.set(name, [one]);
      else blocked.push(one);
    }
  // The list grows during the loop: in a long chain, each removal frees the next one, and rounds would be quadratic.
  for (const { waiters } of out)
    for (const name of waiters) {
      const others = (waits.get(name) ?? 0) - 1;
      waits.set(name, others);
      if (others > 0) continue;
      for (const one of heldBy.get(name) ?? []) if (mayFreeSlot(one) && left.delete(one)) out.push(one);
    }
  return left.size > 0;
}
