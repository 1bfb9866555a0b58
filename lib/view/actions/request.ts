/** A button's request, pinned: live data never changes an open dialog. */
import { type Action, find } from '@/lib/domain/actions/action';
import { targetOf } from '@/lib/domain/actions/whom';
import { holdersOf } from '@/lib/domain/holders';
import type { Holder, Lock, Semaphore, Session, World } from '@/lib/domain/model';
import type { SessionRef } from '@/lib/domain/subject';

export interface PinnedSubjects {
  readonly lock: Lock | null;
  readonly semaphore: Semaphore | null;
  readonly session: Session | null;
  /** The session's verdict where it holds something; `null`: it holds nothing. */
  readonly held: Holder | null;
}

export interface DialogRequest extends PinnedSubjects {
  readonly action: Action;
  /** The client that loses something: a holder's label, or ''. */
  readonly label: string;
  /** Key, prefix or session. */
  readonly name: string;
  /** The first content of the field for the new limit. */
  readonly limitTyped: string;
}

/** The session as a holder of the first thing that it really holds, as in its plan. */
export function heldBy({ source, id }: SessionRef, { locks, semaphores }: World): Holder | null {
  const isHere = (row: Lock | Semaphore) => row.source === source;
  const holders = [
    ...locks.filter(isHere).flatMap(holdersOf),
    ...semaphores.filter(isHere).flatMap((one) => one.holders),
  ];
  return holders.find((one) => one.sessionId === id && one.verdict !== 'ghost') ?? null;
}

/** The subjects as shown now. A holder's session comes with it. */
export function pinnedOf(action: Action, world: World): PinnedSubjects {
  const found = find(action, world);
  const sessionId = targetOf(action, found.lock);
  // A batch has no single subject.
  const one = 'prefixes' in action && action.prefixes.length > 1 ? null : found.semaphore;
  const session =
    world.sessions.find(({ source, id }) => source === action.source && id === sessionId) ?? null;
  return { ...found, semaphore: one, session, held: session === null ? null : heldBy(session, world) };
}

/**
 * The target of a button as one text: the action, and for a lock its present holder. A press that was aimed at another
 * target is dropped.
 */
export function boundTo(action: Action, world: World): string {
  const holder = targetOf(action, find(action, world).lock) ?? '';
  return `${JSON.stringify(action)}${holder === '' ? '' : ` ${holder}`}`;
}
