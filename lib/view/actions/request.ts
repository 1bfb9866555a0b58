/** What a button asks for, pinned from here on: live data never changes an open dialog. */
import { type Action, find } from '@/lib/domain/actions/action';
import type { Holder, Lock, Semaphore, Session, World } from '@/lib/domain/model';

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
export function heldBy(id: string, { locks, semaphores }: World): Holder | null {
  const holders = [...locks.flatMap(({ holder }) => holder ?? []), ...semaphores.flatMap((s) => s.holders)];
  return holders.find((one) => one.sessionId === id && one.verdict !== 'ghost') ?? null;
}

/** The subjects of an action as they are shown now. A holder's session comes with it. */
export function pinnedOf(action: Action, world: World): Shown {
  const found = find(action, world);
  const sessionId = 'sessionId' in action ? action.sessionId : (found.lock?.holder?.sessionId ?? null);
  // Of a batch no single one is its subject.
  const one = 'prefixes' in action && action.prefixes.length > 1 ? null : found.semaphore;
  const session = world.sessions.find(({ id }) => id === sessionId) ?? null;
  return { ...found, semaphore: one, session, held: session === null ? null : heldBy(session.id, world) };
}

/**
 * Whom a button acts on, as one text: the action, and for a lock its present holder. A press that was aimed at
 * another one is dropped.
 */
export function boundTo(action: Action, world: World): string {
  const holder =
    action.type === 'lock.release' || action.type === 'lock.delete'
      ? (find(action, world).lock?.holder?.sessionId ?? '')
      : '';
  return `${JSON.stringify(action)}${holder === '' ? '' : ` ${holder}`}`;
}
