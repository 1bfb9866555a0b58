/** What a button asks for, pinned from here on: live data never changes an open dialog. */
import { type Action, find } from '@/lib/domain/actions/action';
import type { Holder, Lock, Semaphore, Session, World } from '@/lib/domain/model';
import type { SessionRef } from '@/lib/domain/subject';

/** The subjects as the page showed them when the button was pressed. */
export interface Shown {
  readonly lock: Lock | null;
  readonly semaphore: Semaphore | null;
  readonly session: Session | null;
  /** How that session is judged where it holds something; `null` where it holds nothing. */
  readonly held: Holder | null;
}

export interface Request extends Shown {
  readonly action: Action;
  /** Who loses something: a holder's label; '' where there is none. */
  readonly label: string;
  /** Key, prefix or session. */
  readonly name: string;
  /** For a resize: what stands in the field of the new limit at first. */
  readonly limitTyped: string;
}

/** A session as it is judged where it holds something: by the first that it really holds, as its plan does. */
export function heldBy({ source, id }: SessionRef, { locks, semaphores }: World): Holder | null {
  const isHere = (row: Lock | Semaphore) => row.source === source;
  const holders = [
    ...locks.filter(isHere).flatMap(({ holder }) => holder ?? []),
    ...semaphores.filter(isHere).flatMap((one) => one.holders),
  ];
  return holders.find((one) => one.sessionId === id && one.verdict !== 'ghost') ?? null;
}

/** The subjects of an action as they are shown now. A holder's session comes with it. */
export function pinnedOf(action: Action, world: World): Shown {
  const found = find(action, world);
  const sessionId = 'sessionId' in action ? action.sessionId : (found.lock?.holder?.sessionId ?? null);
  // Of a batch no single one is its subject.
  const one = 'prefixes' in action && action.prefixes.length > 1 ? null : found.semaphore;
  const session =
    world.sessions.find(({ source, id }) => source === action.source && id === sessionId) ?? null;
  return { ...found, semaphore: one, session, held: session === null ? null : heldBy(session, world) };
}
