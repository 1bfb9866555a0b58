/** What a button asks for, pinned from here on: live data never changes an open dialog. */
import { type Action, find } from '@/lib/domain/action';
import type { Lock, Semaphore, Session, World } from '@/lib/domain/model';

/** The subjects as the page showed them when the button was pressed. */
export interface Shown {
  readonly lock: Lock | null;
  readonly semaphore: Semaphore | null;
  readonly session: Session | null;
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

/** The subjects of an action as they are shown now. A holder's session comes with it. */
export function pinnedOf(action: Action, world: World): Shown {
  const found = find(action, world);
  const sessionId = 'sessionId' in action ? action.sessionId : (found.lock?.holder?.sessionId ?? null);
  // Of a batch no single one is its subject.
  const one = 'prefixes' in action && action.prefixes.length > 1 ? null : found.semaphore;
  return { ...found, semaphore: one, session: world.sessions.find(({ id }) => id === sessionId) ?? null };
}
