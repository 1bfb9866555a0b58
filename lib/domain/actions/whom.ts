/**
 * Whom an action hits, and who comes after: named as the view showed them at that moment. Afterwards the session is gone,
 * and what it was called cannot be found out any more.
 */

import { type Party, type Subject, shortId, type Verdict, type World } from '@/lib/domain/model';
import type { Action, Expect } from './action';
import type { Json } from './audit';

export interface Whom {
  readonly session: string;
  /** What people call it; `null`: nothing but its id was known. */
  readonly label: string | null;
  /** The name of its session and where that runs; `null`: not in view. */
  readonly name: string | null;
  readonly node: string | null;
  /** `null`: it held nothing and waited for nothing, or the view was not live. */
  readonly verdict: Verdict | null;
}

/** A lock has one holder; whoever asks may name more. */
const meantMax = 5;

const known = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);

/** One session as a lock or a semaphore shows it, its names whole. `live`: whether that may be said of now. */
export function whomOf(party: Party, live: boolean): Whom {
  const { sessionId, label, session, verdict } = party;
  return {
    session: sessionId,
    label: label === shortId(sessionId) ? null : known(label),
    name: known(session?.name),
    node: session?.node ?? null,
    verdict: live ? verdict : null,
  };
}

type Seen = Pick<World, 'locks' | 'semaphores' | 'sessions'>;

/** Those that a subject shows; of a semaphore the holders first. */
function partiesOf(subject: Subject, world: Seen): readonly Party[] {
  switch (subject.kind) {
    case 'lock': {
      const holder = world.locks.find(({ key }) => key === subject.key)?.holder;
      return holder == null ? [] : [holder];
    }
    case 'semaphore': {
      const found = world.semaphores.find(({ prefix }) => prefix === subject.prefix);
      return found === undefined ? [] : [...found.holders, ...found.waiters];
    }
    case 'session':
      return [];
  }
}

/** One session by its id, as the first thing shows it that the action names, or that it is seen to hold or want. */
function whomById(id: string, named: readonly Subject[], world: Seen, live: boolean): Whom {
  const session = world.sessions.find((one) => one.id === id);
  for (const place of [...named, ...(session?.holds ?? []), ...(session?.wants ?? [])]) {
    const party = partiesOf(place, world).find(({ sessionId }) => sessionId === id);
    if (party !== undefined) return whomOf(party, live);
  }
  const name = known(session?.name);
  return { session: id, label: name, name, node: session?.node ?? null, verdict: null };
}

/** The ghosts of all these semaphores, each once: one session may have left a ghost in several. */
function ghostsOf(prefixes: readonly string[], { semaphores }: Seen): Iterable<Party> {
  // Hundreds may be asked for, of tens of thousands.
  const asked = new Set(prefixes);
  const each = new Map<string, Party>();
  for (const { prefix, holders } of semaphores)
    if (asked.has(prefix))
      for (const party of holders) if (party.verdict === 'ghost') each.set(party.sessionId, party);
  return each.values();
}

/**
 * Those whom an action ends, robs of a slot, or takes off the record, named as the world shows them. What the request says that
 * its plan saw adds nobody: it is the caller's own word. Of one that the action itself names and that is not in view, the id
 * alone is known.
 */
export function whomHit(
  action: Action,
  { sessions }: Pick<Expect, 'sessions'>,
  world: Seen,
  live: boolean,
): Whom[] {
  switch (action.type) {
    case 'lock.release':
      // Whoever holds it by now is not hit if the plan saw somebody else: then it is refused.
      return partiesOf({ kind: 'lock', key: action.key }, world)
        .filter(({ sessionId }) => sessions.includes(sessionId))
        .map((party) => whomOf(party, live));
    case 'semaphore.evict':
      return [whomById(action.sessionId, [{ kind: 'semaphore', prefix: action.prefix }], world, live)];
    case 'session.destroy':
      return [whomById(action.sessionId, [], world, live)];
    case 'semaphore.prune':
      return Array.from(ghostsOf(action.prefixes, world), (party) => whomOf(party, live));
    case 'semaphore.resize':
    case 'semaphore.delete':
    case 'lock.delete':
      return [];
  }
}

/**
 * Whom a release was meant for that will be refused, because somebody else holds the lock by now: the sessions are the caller's
 * own word, their names are what the view shows.
 */
export function whomMeant(
  action: Action,
  { sessions }: Pick<Expect, 'sessions'>,
  world: Seen,
  live: boolean,
): Whom[] {
  if (action.type !== 'lock.release' || whomHit(action, { sessions }, world, live).length > 0) return [];
  return sessions.slice(0, meantMax).map((id) => whomById(id, [], world, live));
}

/** How many they were: a row names no more than some of them. */
export function whomCount(detail: { readonly [key: string]: Json }): number {
  const { whomInAll } = detail;
  return Math.max(whomIn(detail).length, typeof whomInAll === 'number' ? whomInAll : 0);
}

/** What a row of the audit tells of them. Rows that were written before they were named tell of none. */
export function whomIn(
  detail: { readonly [key: string]: Json },
  name: 'whom' | 'meant' = 'whom',
): readonly Whom[] {
  const whom = detail[name];
  if (!Array.isArray(whom)) return [];
  return whom.filter(
    (one) =>
      typeof one === 'object' && one !== null && typeof (one as { session?: unknown }).session === 'string',
  ) as unknown as Whom[];
}
