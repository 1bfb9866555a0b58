/**
 * An operator's actions, one union for the wire (`schema.ts`), the dialog and the provider. The table here, or a table
 * over `ActionType`, holds every difference between actions.
 */
import type { Lock, Semaphore, Session, Subject, World } from '@/lib/domain/model';
import type { ProblemCode } from '@/lib/domain/problem';
import type { RuleFacts } from '@/lib/domain/refusal';
import type { SourceId } from '@/lib/domain/source';
import {
  type ActionDescriptor,
  type DescriptorOf,
  type FoundSubject,
  no,
  type Permission,
} from './descriptor';
import { lockAsk, lockDelete, lockRelease, lockRemoveWaiter, lockWake } from './lock';
import type { Action, ActionType } from './schema';
import {
  semaphoreDelete,
  semaphoreEvict,
  semaphorePrune,
  semaphoreRemoveWaiter,
  semaphoreResize,
  semaphoreReturnPermits,
} from './semaphore';
import { sessionDestroy } from './session';

export type { Action, ActionOf, ActionRequest, ActionType } from './schema';

/** Longest reason accepted, in characters. */
export const reasonLengthMax = 500;

export const actions: { readonly [T in ActionType]: DescriptorOf<T> } = {
  'lock.release': lockRelease,
  'semaphore.evict': semaphoreEvict,
  'semaphore.prune': semaphorePrune,
  'semaphore.resize': semaphoreResize,
  'session.destroy': sessionDestroy,
  'lock.remove-waiter': lockRemoveWaiter,
  'lock.ask': lockAsk,
  'lock.wake': lockWake,
  'lock.delete': lockDelete,
  'semaphore.remove-waiter': semaphoreRemoveWaiter,
  'semaphore.return-permits': semaphoreReturnPermits,
  'semaphore.delete': semaphoreDelete,
};

export const actionTypes = Object.keys(actions) as [ActionType, ...ActionType[]];

/** The descriptor of an action. The type holds because the table is indexed by the action's own type. */
export const descriptorOf = (action: Action) => actions[action.type] as ActionDescriptor<Action>;

/** The problem for each rule, for the provider, which asks the table on a fresh read. */
export const problemOfRule: Readonly<Record<keyof RuleFacts, ProblemCode>> = {
  'lock-not-in-view': 'not-found',
  'semaphore-not-in-view': 'not-found',
  'session-not-in-view': 'not-found',
  'name-not-sure': 'invalid',
  'key-refused': 'unwritable',
  'nobody-holds': 'not-held',
  'key-gone': 'not-found',
  'holder-unknown': 'forbidden',
  'lock-held': 'conflict-in-use',
  'not-holder': 'not-held',
  'not-waiter': 'not-held',
  'not-offered-here': 'invalid',
  'limit-not-stored': 'invalid',
  'several-hold': 'invalid',
  'is-ghost': 'not-held',
  'not-a-session': 'conflict-in-use',
  'locks-nothing-here': 'conflict-in-use',
  'no-ghost': 'not-held',
  'not-understood': 'conflict-in-use',
  'limit-already': 'conflict-in-use',
  'below-recorded': 'conflict-in-use',
  'holders-recorded': 'conflict-in-use',
  'sessions-wait': 'conflict-in-use',
};

/** U+FFFD stands for any bytes that are not UTF-8, so such a name is not exact. */
export const isSure = (name: string): boolean => !name.includes('\ufffd');

const nameOf = (subject: Subject) =>
  subject.kind === 'lock' ? subject.key : subject.kind === 'semaphore' ? subject.prefix : '';

/**
 * The permission for an action, with the reason for a refusal. The server enforces it, and the interface explains it.
 */
export function permission(action: Action, world: World): Permission {
  const { can, writesEntry } = descriptorOf(action);
  if (!subjectsOf(action).map(nameOf).every(isSure)) return no('name-not-sure', {});
  const found = find(action, world);
  // The backend refuses to write anything of this name.
  const isRefused = found.lock?.unwritable === true || found.semaphore?.unwritable === true;
  if (isRefused && writesEntry?.(action) !== false) return no('key-refused', {});
  return can(action, found);
}

export function find(action: Action, world: World): FoundSubject {
  const found: { lock: Lock | null; semaphore: Semaphore | null; session: Session | null } = {
    lock: null,
    semaphore: null,
    session: null,
  };
  const { source } = action;
  const isHere = (row: { readonly source: SourceId }) => row.source === source;
  if ('key' in action) found.lock = world.locks.find((l) => l.key === action.key && isHere(l)) ?? null;
  const prefix = 'prefix' in action ? action.prefix : 'prefixes' in action ? action.prefixes[0] : undefined;
  if (prefix !== undefined)
    found.semaphore = world.semaphores.find((s) => s.prefix === prefix && isHere(s)) ?? null;
  if ('sessionId' in action)
    found.session = world.sessions.find((s) => s.id === action.sessionId && isHere(s)) ?? null;
  return found;
}

export const reasonRequired = (action: Action): boolean => descriptorOf(action).needsReason;

/** True when the effect shows in the earlier waiters, as under a new limit. */
export const followsQueue = (action: Action): boolean => descriptorOf(action).follows === 'queue';

/** The page's target, and the audit's index. */
export const subjectsOf = (action: Action): Subject[] => descriptorOf(action).subjects(action);

/** The parameters of an action beside its type and subjects, for the log and the record. */
export const parametersOf = (action: Action) => ({
  ...('how' in action ? { how: action.how } : {}),
  ...('limit' in action ? { limit: action.limit } : {}),
  ...('permits' in action ? { permits: action.permits } : {}),
  ...('sessionId' in action ? { session: action.sessionId } : {}),
  ...('holder' in action && action.holder !== undefined ? { session: action.holder } : {}),
});
