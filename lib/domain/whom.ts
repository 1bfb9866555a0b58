/**
 * Whom an action hits, and who comes after: named as the view showed them at that moment. Afterwards the session is gone,
 * and what it was called cannot be found out any more.
 */
import type { Action, Expect } from './action';
import type { Json } from './audit';
import { type Party, type Session, type Subject, shortId, type Verdict, type World } from './model';

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

/** Longest name that is kept, in characters: a session may have a longer one. */
const nameLengthMax = 64;

const short = (text: string | undefined): string | null =>
  text === undefined || text === '' ? null : text.slice(0, nameLengthMax);

/** One session as a lock or a semaphore shows it. `live`: whether that may be said of now. */
export function whomOf(party: Party, live: boolean): Whom {
  const { sessionId, label, session, verdict } = party;
  return {
    session: sessionId,
    label: label === shortId(sessionId) ? null : short(label),
    name: short(session?.name),
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

/** Where to look for a session: what the action names, then what it is seen to hold or want. */
function placesOf(action: Action, session: Session | undefined): readonly Subject[] {
  const named: Subject[] =
    'key' in action
      ? [{ kind: 'lock', key: action.key }]
      : 'prefix' in action
        ? [{ kind: 'semaphore', prefix: action.prefix }]
        : [];
  return [...named, ...(session?.holds ?? []), ...(session?.wants ?? [])];
}

/**
 * Those whom an action ends, robs of a slot, or takes off the record: the sessions that its plan saw, named as the world
 * shows them. Of one that is not in view the id alone is known.
 */
export function whomHit(
  action: Action,
  expect: Pick<Expect, 'sessions'>,
  world: Seen,
  live: boolean,
): Whom[] {
  if (action.type === 'semaphore.prune') {
    const ghosts = action.prefixes
      .flatMap((prefix) => partiesOf({ kind: 'semaphore', prefix }, world))
      .filter(({ verdict }) => verdict === 'ghost');
    // One session may have left a ghost in several semaphores.
    const each = new Map(ghosts.map((party) => [party.sessionId, whomOf(party, live)]));
    return [...each.values()];
  }
  return expect.sessions.map((id) => {
    const session = world.sessions.find((one) => one.id === id);
    for (const place of placesOf(action, session)) {
      const party = partiesOf(place, world).find(({ sessionId }) => sessionId === id);
      if (party !== undefined) return whomOf(party, live);
    }
    return {
      session: id,
      label: short(session?.name),
      name: short(session?.name),
      node: session?.node ?? null,
      verdict: null,
    };
  });
}

/** How many they were: a row names no more than some of them. */
export function whomCount(detail: { readonly [key: string]: Json }): number {
  const { whomInAll } = detail;
  return Math.max(whomIn(detail).length, typeof whomInAll === 'number' ? whomInAll : 0);
}

/** What a row of the audit tells of them. Rows that were written before they were named tell of none. */
export function whomIn(detail: { readonly [key: string]: Json }): readonly Whom[] {
  const { whom } = detail;
  if (!Array.isArray(whom)) return [];
  return whom.filter(
    (one) =>
      typeof one === 'object' && one !== null && typeof (one as { session?: unknown }).session === 'string',
  ) as unknown as Whom[];
}
