/**
 * The clients that an action hits, and their successors, named as the view showed them then. Afterwards the
 * session is gone, and its name with it.
 */

import { holdersOf } from '@/lib/domain/holders';
import { type Lock, type Party, type Subject, shortId, type Verdict, type World } from '@/lib/domain/model';
import { isOf, type SessionRef } from '@/lib/domain/subject';
import { type Action, descriptorOf, subjectsOf } from './action';
import type { Json } from './audit';
import type { Saw } from './expect';

export interface Whom {
  readonly session: string;
  /** The name for people; `null`: only the id was known. */
  readonly label: string | null;
  /** The session's name and node; `null`: not in view. */
  readonly name: string | null;
  readonly node: string | null;
  /** `null`: it held nothing and waited for nothing, or the view was not live. */
  readonly verdict: Verdict | null;
}

/** A lock has one holder; a request may name more. */
const meantMax = 5;

const known = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text);

/** One session as a lock or a semaphore shows it, with full names. `live`: whether its verdict is current. */
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

/** The party of an action: the one that it names, or the lock's holder. `null`: none. */
export function targetOf(action: Action, lock: Pick<Lock, 'holder'> | null): string | null {
  if ('sessionId' in action) return action.sessionId;
  const named = 'holder' in action ? action.holder : undefined;
  return named ?? lock?.holder?.sessionId ?? null;
}

type WhomSource = Pick<World, 'locks' | 'semaphores' | 'sessions'>;

/** A subject's clients, the holders first. */
function partiesOf(subject: Subject, world: WhomSource): readonly Party[] {
  switch (subject.kind) {
    case 'lock': {
      const found = world.locks.find(isOf(subject));
      return found === undefined ? [] : [...holdersOf(found), ...(found.waiters ?? [])];
    }
    case 'semaphore': {
      const found = world.semaphores.find(isOf(subject));
      return found === undefined ? [] : [...found.holders, ...found.waiters];
    }
    case 'session':
      return [];
  }
}

/** One session by its id, as shown by the first subject that the action names or that it holds or wants. */
function whomById(
  { source, id }: SessionRef,
  named: readonly Subject[],
  world: WhomSource,
  live: boolean,
): Whom {
  const session = world.sessions.find((one) => one.id === id && one.source === source);
  for (const place of [...named, ...(session?.holds ?? []), ...(session?.wants ?? [])]) {
    const party = partiesOf(place, world).find(({ sessionId }) => sessionId === id);
    if (party !== undefined) return whomOf(party, live);
  }
  const name = known(session?.name);
  return { session: id, label: name, name, node: session?.node ?? null, verdict: null };
}

/** The ghosts of all these semaphores, each once: one session may have left a ghost in several. */
function ghostsOf(
  { source }: Action,
  subjects: readonly Subject[],
  { semaphores }: WhomSource,
): Iterable<Party> {
  // Hundreds may be requested, among tens of thousands.
  const prefixes = new Set(subjects.map((one) => (one.kind === 'semaphore' ? one.prefix : null)));
  const each = new Map<string, Party>();
  for (const { source: its, prefix, holders } of semaphores)
    if (its === source && prefixes.has(prefix))
      for (const party of holders) if (party.verdict === 'ghost') each.set(party.sessionId, party);
  return each.values();
}

/**
 * The clients that an action ends, robs of a slot or takes off the record, named as the world shows them. The
 * request's own list adds none: it is the caller's word. A client that the action itself names and that is not
 * in view has only its id.
 */
export function whomHit(
  action: Action,
  { sessions }: Pick<Saw, 'sessions'>,
  world: WhomSource,
  live: boolean,
): Whom[] {
  const subjects = subjectsOf(action);
  const { source } = action;
  switch (descriptorOf(action).hits) {
    case 'holder':
      // A holder that the plan did not see is not hit: the action is refused.
      return subjects
        .flatMap((subject) => {
          const lock = world.locks.find(isOf(subject));
          return lock === undefined ? [] : holdersOf(lock);
        })
        .filter(({ sessionId }) => sessions.includes(sessionId))
        .map((party) => whomOf(party, live));
    case 'ghosts':
      return Array.from(ghostsOf(action, subjects, world), (party) => whomOf(party, live));
    case 'slot':
    case 'waiter':
      return 'sessionId' in action ? [whomById({ source, id: action.sessionId }, subjects, world, live)] : [];
    case 'session':
      return 'sessionId' in action ? [whomById({ source, id: action.sessionId }, [], world, live)] : [];
    case null:
      return [];
  }
}

/**
 * The targets of a release that will be refused because the lock has another holder. The sessions are the caller's
 * word, and their names come from the view.
 */
export function whomMeant(
  action: Action,
  { sessions }: Pick<Saw, 'sessions'>,
  world: WhomSource,
  live: boolean,
): Whom[] {
  if (descriptorOf(action).hits !== 'holder' || whomHit(action, { sessions }, world, live).length > 0)
    return [];
  return sessions.slice(0, meantMax).map((id) => whomById({ source: action.source, id }, [], world, live));
}

/** The number of parties. A row names only some of them. */
export function whomCount(detail: { readonly [key: string]: Json }): number {
  const { whomInAll } = detail;
  return Math.max(whomIn(detail).length, typeof whomInAll === 'number' ? whomInAll : 0);
}

/** The clients that a row of the audit names; older rows name none. */
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
