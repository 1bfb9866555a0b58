/**
 * What an operator may do: one union, the same on the wire, in the dialog and in the provider, and the table
 * that says when each may be done and, if not, why not. The server enforces it; the interface explains it.
 */
import { z } from 'zod/mini';
import { layouts } from './layout';
import type { Lock, Semaphore, Session, Subject, World } from './model';
import type { Problem } from './problem';

/** Longest key or prefix accepted, in characters. Consul itself refuses keys beyond a few kilobytes of URL. */
export const keyLengthMax = 2048;
/** Longest reason accepted, in characters. */
export const reasonLengthMax = 500;
/** Largest limit that can be set: far beyond what one coordination entry of 512 KiB can record. */
export const limitMax = 100_000;
/** Longest fact that an expectation repeats, in characters. */
export const seenLengthMax = 4096;
/** Most semaphores in one prune. */
export const prunePrefixesMax = 500;

const key = z.string().check(z.minLength(1), z.maxLength(keyLengthMax));
const sessionId = z.string().check(z.minLength(1), z.maxLength(128));

export const actionSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('lock.release'),
    key,
    how: z.enum(['destroy-session', 'hand-over']),
  }),
  z.strictObject({
    type: z.literal('semaphore.evict'),
    prefix: key,
    sessionId,
    how: z.enum(['destroy-session', 'slot-only']),
  }),
  z.strictObject({
    type: z.literal('semaphore.prune'),
    prefixes: z.array(key).check(z.minLength(1), z.maxLength(prunePrefixesMax)),
  }),
  z.strictObject({
    type: z.literal('semaphore.resize'),
    prefix: key,
    limit: z.int().check(z.minimum(1), z.maximum(limitMax)),
  }),
  z.strictObject({ type: z.literal('session.destroy'), sessionId }),
  z.strictObject({ type: z.literal('lock.delete'), key }),
  z.strictObject({ type: z.literal('semaphore.delete'), prefix: key }),
]);

export type Action = z.infer<typeof actionSchema>;
export type ActionType = Action['type'];

/**
 * What a plan saw, sent back unchanged with `apply`, which refuses when it no longer holds. One row for every
 * entry that the action depends on: its index and the session that locks it. A `null` index says that the entry
 * did not exist.
 *
 * A coordination entry in use changes with every client that comes or goes, so an action on it that insisted on
 * its index could never be applied. Such a row carries in `seen` the facts that the operator decided by (the limit,
 * the ghosts), and those are compared instead; the write itself is still conditional on a fresh index.
 */
export const expectSchema = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        key,
        modifyIndex: z.nullable(z.string().check(z.regex(/^\d{1,20}$/))),
        session: z.nullable(sessionId),
        /** Compared in place of the index where present; the provider's own words. */
        seen: z.optional(z.string().check(z.maxLength(seenLengthMax))),
      }),
    )
    .check(z.maxLength(2 * prunePrefixesMax)),
  /** Sessions that must still exist. */
  sessions: z.array(sessionId).check(z.maxLength(64)),
  /** Everything that the session to be destroyed held: destroying cannot be conditional, so this is compared. */
  holdings: z.optional(
    z.strictObject({ count: z.int().check(z.minimum(0)), digest: z.string().check(z.maxLength(64)) }),
  ),
});

export type Expect = z.infer<typeof expectSchema>;

/** One write that a plan will make, in the words of the backend. */
export interface PlannedWrite {
  readonly operation: 'update' | 'delete' | 'unlock' | 'destroy-session';
  /** The key, or the session's id. */
  readonly target: string;
  /** What guards it: the index or session it depends on; `null` where the backend offers no condition. */
  readonly condition: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** Something else that the action reaches. */
export interface Touch {
  readonly subject: Subject;
  /** What happens to it: freed, removed with its session, freed after the delay, or its client fails. */
  readonly effect: 'released' | 'deleted' | 'fails' | 'loses-slot';
  readonly detail: string | null;
}

export type WarningCode =
  | 'not-conditional'
  | 'lock-delay-protects'
  | 'no-lock-delay'
  | 'split-brain'
  | 'session-lives-on'
  | 'may-retake'
  | 'holds-more'
  | 'waiters-fail'
  | 'restarts-fail'
  | 'limit-forgotten'
  | 'limit-one'
  | 'holder-not-told'
  | 'clients-recreate'
  | 'over-limit'
  | 'layout-caution'
  | 'answer-lost'
  | 'view-incomplete';

export interface Warning {
  readonly code: WarningCode;
  readonly text: string;
}

export interface Plan {
  /** One sentence: verb, object, and what it means. */
  readonly summary: string;
  readonly writes: readonly PlannedWrite[];
  readonly touches: readonly Touch[];
  readonly warnings: readonly Warning[];
  /** The same by hand, as shell commands. Never holds a token. */
  readonly manual: readonly string[];
  /** How much ceremony the dialog asks for: `type-name` demands `confirmName`, typed. */
  readonly friction: 'click' | 'reason' | 'type-name';
  readonly confirmName: string | null;
}

/** What was seen to happen. `done: false` in a batch means that this part was refused; `problem` says why. */
export interface Outcome {
  readonly done: boolean;
  /** What is free now that was not, one row each. */
  readonly freed: readonly Subject[];
  /** The subject as read back after the write; `null` when it is gone. */
  readonly after: Lock | Semaphore | null;
  readonly warnings: readonly Warning[];
  /** For a batch: one outcome for each part, in the order asked for. */
  readonly parts: readonly {
    readonly subject: Subject;
    readonly done: boolean;
    readonly problem: Problem | null;
    readonly detail: string;
  }[];
}

/** Allowed, or the reason why not in one sentence. The reason is the value; "disabled" is derived from it. */
export type Permission = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

const yes: Permission = { allowed: true };
const no = (reason: string): Permission => ({ allowed: false, reason });

/** The world as far as `can` needs it, so that a screen can ask for one row without building an index. */
export interface Found {
  readonly lock: Lock | null;
  readonly semaphore: Semaphore | null;
  readonly session: Session | null;
}

type Rule<T extends ActionType> = (action: Extract<Action, { type: T }>, found: Found) => Permission;

/**
 * When each action may be done. The authority for each refusal is named beside it; the provider checks the same
 * again on a fresh, consistent read.
 */
export const can: { readonly [T in ActionType]: Rule<T> } = {
  'lock.release': (_action, { lock }) => {
    if (lock === null) return no('This lock is not in view.');
    if (lock.state !== 'held' || lock.holder === null) return no('Nobody holds this lock.');
    return yes;
  },
  'semaphore.evict': (action, { semaphore }) => {
    if (semaphore === null) return no('This semaphore is not in view.');
    const holder = semaphore.holders.find((h) => h.sessionId === action.sessionId);
    if (holder === undefined) return no('This session does not hold a slot here.');
    if (semaphore.layout === 'unreadable' && action.how === 'slot-only')
      return no('The coordination entry could not be understood, so it is not written.');
    if (holder.verdict === 'ghost')
      return no('This is a ghost: its session holds nothing here. Prune it instead.');
    return yes;
  },
  'semaphore.prune': (action, { semaphore }) => {
    if (action.prefixes.length > 1) return yes;
    if (semaphore === null) return no('This semaphore is not in view.');
    if (semaphore.layout === 'unreadable')
      return no('The coordination entry could not be understood, so it is not written.');
    if (!semaphore.holders.some((h) => h.verdict === 'ghost')) return no('No recorded holder is a ghost.');
    return yes;
  },
  'semaphore.resize': (action, { semaphore }) => {
    if (semaphore === null) return no('This semaphore is not in view.');
    if (semaphore.limit === null || semaphore.recorded === null || layouts[semaphore.layout].resize === null)
      return no('The coordination entry could not be understood, so it is not written.');
    if (action.limit === semaphore.limit) return no(`The limit is ${semaphore.limit} already.`);
    // The Java client admits when `limit == holders.size()` is false: with fewer slots than holders it admits
    // without bound. The guide's clients are unknown, so they get the same care.
    if (layouts[semaphore.layout].resize === 'live' && action.limit < semaphore.recorded)
      return no(
        `${semaphore.recorded} holders are recorded. Clients of this layout compare for equality and would admit without bound below that.`,
      );
    return yes;
  },
  'session.destroy': (_action, { session }) => (session === null ? no('This session is not in view.') : yes),
  'lock.delete': (_action, { lock }) => {
    if (lock === null) return no('This lock is not in view.');
    if (lock.state === 'held') return no('A session holds this lock.');
    return yes;
  },
  'semaphore.delete': (_action, { semaphore }) => {
    if (semaphore === null) return no('This semaphore is not in view.');
    // Deleting `.lock` while a Go client holds or waits makes every one of them fail (api/semaphore.go).
    if (semaphore.holders.length > 0) return no('Holders are recorded. Prune or evict them first.');
    if (semaphore.waiters.length > 0) return no('Sessions wait for a slot.');
    return yes;
  },
};

/** Asks the table about one action in one world. */
export function permission(action: Action, world: World): Permission {
  const rule = can[action.type] as Rule<ActionType>;
  return rule(action, find(action, world));
}

/** The lock, semaphore and session that an action speaks of. */
export function find(action: Action, world: World): Found {
  const found: { lock: Lock | null; semaphore: Semaphore | null; session: Session | null } = {
    lock: null,
    semaphore: null,
    session: null,
  };
  if ('key' in action) found.lock = world.locks.find((l) => l.key === action.key) ?? null;
  const prefix = 'prefix' in action ? action.prefix : 'prefixes' in action ? action.prefixes[0] : undefined;
  if (prefix !== undefined) found.semaphore = world.semaphores.find((s) => s.prefix === prefix) ?? null;
  if ('sessionId' in action) found.session = world.sessions.find((s) => s.id === action.sessionId) ?? null;
  return found;
}

/**
 * Whether `apply` demands a reason. Pruning does not: it removes only what no client has any more, and its plan's
 * friction is `click`. Every other action reaches something that may be at work.
 */
export function reasonRequired(action: Action): boolean {
  return action.type !== 'semaphore.prune';
}

/** What an action is about: where the page goes, and what the audit files it under. */
export function subjectsOf(action: Action): Subject[] {
  switch (action.type) {
    case 'lock.release':
    case 'lock.delete':
      return [{ kind: 'lock', key: action.key }];
    case 'semaphore.evict':
    case 'semaphore.resize':
    case 'semaphore.delete':
      return [{ kind: 'semaphore', prefix: action.prefix }];
    case 'semaphore.prune':
      return action.prefixes.map((prefix) => ({ kind: 'semaphore', prefix }));
    case 'session.destroy':
      return [{ kind: 'session', id: action.sessionId }];
  }
}
