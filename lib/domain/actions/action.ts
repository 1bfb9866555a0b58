/**
 * An operator's actions, one union for the wire, the dialog and the provider, and the table of when each is
 * allowed and why not. The server enforces it; the interface explains it.
 */
import { z } from 'zod/mini';
import { namedHolders, unlistedHolders } from '@/lib/domain/holders';
import { layouts } from '@/lib/domain/layout';
import {
  type EvidenceCode,
  type Lock,
  type Semaphore,
  type Session,
  type Subject,
  verdicts,
  type World,
} from '@/lib/domain/model';
import type { ProblemCode } from '@/lib/domain/problem';
import type { RuleFacts, RuleRefusal } from '@/lib/domain/refusal';
import { firstSource, type SourceId } from '@/lib/domain/source';
import { lockSubject, semaphoreSubject, sessionSubject } from '@/lib/domain/subject';
import { sourceIdSchema } from './source-schema';

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
/** Most entries that one plan may depend on. */
export const expectEntriesMax = 2 * prunePrefixesMax;
/**
 * Most bytes of JSON for them, where a plan chooses their number: the server must accept the `apply` that sends
 * them back.
 */
export const expectBytesMax = 192 * 1024;

/**
 * Whole characters only. JSON can escape half of one (`\ud800`), which no address can hold: a call with it
 * would fail before it is sent.
 */
export const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);

const key = z.string().check(z.minLength(1), z.maxLength(keyLengthMax), z.refine(isWhole));
const index = z.string().check(z.regex(/^\d{1,20}$/));
/** Absent on the wire: the first. */
const source = z._default(sourceIdSchema, firstSource);
const sessionId = z.string().check(z.minLength(1), z.maxLength(128), z.refine(isWhole));

export const actionSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('lock.release'),
    source,
    key,
    how: z.enum(['destroy-session', 'hand-over']),
  }),
  z.strictObject({
    type: z.literal('semaphore.evict'),
    source,
    prefix: key,
    sessionId,
    how: z.enum(['destroy-session', 'slot-only']),
  }),
  z.strictObject({
    type: z.literal('semaphore.prune'),
    source,
    prefixes: z.array(key).check(z.minLength(1), z.maxLength(prunePrefixesMax)),
  }),
  z.strictObject({
    type: z.literal('semaphore.resize'),
    source,
    prefix: key,
    limit: z.int().check(z.minimum(1), z.maximum(limitMax)),
  }),
  z.strictObject({ type: z.literal('session.destroy'), source, sessionId }),
  z.strictObject({ type: z.literal('lock.delete'), source, key }),
  z.strictObject({ type: z.literal('semaphore.delete'), source, prefix: key }),
]);

export type Action = z.infer<typeof actionSchema>;
/** As a request names it. */
export type ActionRequest = z.input<typeof actionSchema>;
export type ActionType = Action['type'];

/**
 * The state that a plan saw, sent back unchanged with `apply`, which refuses when it no longer holds. One row
 * for every entry that the action depends on: its index and its locking session. A `null` index: the entry did
 * not exist.
 *
 * A busy coordination entry changes with every client, so an action that insisted on its index could never be
 * applied. Such a row carries in `seen` the facts behind the operator's decision (the limit, the ghosts), which
 * are compared instead; the write itself is still conditional on a fresh index.
 */
export const expectSchema = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        key,
        modifyIndex: z.nullable(index),
        /**
         * Compared beside the index: after a restore another entry may have an equal one. Older plans lack it.
         */
        createIndex: z.optional(z.nullable(index)),
        session: z.nullable(sessionId),
        /** Compared instead of the index where present; the provider's own words. */
        seen: z.optional(z.string().check(z.maxLength(seenLengthMax))),
      }),
    )
    .check(z.maxLength(expectEntriesMax)),
  /**
   * The target's verdict in the plan. A target that was likely dead and works again is refused, because no
   * index shows that.
   */
  verdict: z.optional(z.enum(verdicts)),
  /** Sessions that must still exist. */
  sessions: z.array(sessionId).check(z.maxLength(64)),
  /** Everything that the session to destroy held, compared because a destroy cannot be conditional. */
  holdings: z.optional(
    z.strictObject({ count: z.int().check(z.minimum(0)), digest: z.string().check(z.maxLength(64)) }),
  ),
});

export type Expect = z.infer<typeof expectSchema>;

/** The reason is the value; "disabled" is derived from it. */
export type Permission =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: RuleRefusal };

const yes: Permission = { allowed: true };

function no<C extends keyof RuleFacts>(code: C, facts: RuleFacts[C]): Permission {
  // TypeScript does not see that one code with its facts is a member of the union over all codes.
  return { allowed: false, reason: { code, facts } as RuleRefusal };
}

/** For the provider, which asks the table on a fresh read. */
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

/** The input of `can`, so that a screen can ask for one row without an index. */
export interface Found {
  readonly lock: Lock | null;
  readonly semaphore: Semaphore | null;
  readonly session: Session | null;
}

type Rule<T extends ActionType> = (action: Extract<Action, { type: T }>, found: Found) => Permission;

/**
 * When each action is allowed; the authority for each refusal is beside it. The provider asks the same table on
 * a fresh, consistent read.
 */
export const can: { readonly [T in ActionType]: Rule<T> } = {
  'lock.release': (_action, { lock }) => {
    if (lock === null) return no('lock-not-in-view', {});
    if (lock.state === 'unknown') return no('holder-unknown', {});
    if (lock.state !== 'held' || lock.holder === null) return no('nobody-holds', {});
    return yes;
  },
  'semaphore.evict': ({ sessionId, how }, { semaphore }) => {
    if (semaphore === null) return no('semaphore-not-in-view', {});
    const holder = semaphore.holders.find((h) => h.sessionId === sessionId);
    if (holder === undefined) return no('not-holder', { sessionId });
    if (holder.verdict === 'ghost') return no('is-ghost', { sessionId });
    const rests = (on: EvidenceCode) => holder.evidence.some(({ code }) => code === on);
    if (rests('name-of-no-session')) return no('not-a-session', { name: sessionId });
    if (rests('may-need-no-entry')) {
      // The end of an invisible session cannot be confirmed.
      if (holder.session === null) return no('session-not-in-view', {});
      if (how === 'slot-only') return no('locks-nothing-here', { sessionId });
    }
    if (semaphore.layout === 'unreadable' && how === 'slot-only') return no('not-understood', {});
    return yes;
  },
  'semaphore.prune': (action, { semaphore }) => {
    if (action.prefixes.length > 1) return yes;
    if (semaphore === null) return no('semaphore-not-in-view', {});
    if (semaphore.layout === 'unreadable') return no('not-understood', {});
    if (!semaphore.holders.some((h) => h.verdict === 'ghost')) return no('no-ghost', {});
    return yes;
  },
  'semaphore.resize': ({ limit }, { semaphore }) => {
    if (semaphore === null) return no('semaphore-not-in-view', {});
    const { limit: now, recorded, layout, problems } = semaphore;
    if (now === null || recorded === null || layouts[layout].resize === null) return no('not-understood', {});
    if (limit === now) return no('limit-already', { limit });
    // The Java client admits when `limit == holders.size()` is false: with fewer slots than holders it admits
    // without bound. The guide's clients are unknown and get the same care. A client that writes other flags
    // than Go's may be one of them.
    const mayBeLive =
      layouts[layout].resize === 'live' || problems.some(({ code }) => code === 'wrong-flags');
    if (mayBeLive && limit < recorded) return no('below-recorded', { recorded });
    return yes;
  },
  'session.destroy': (_action, { session }) => (session === null ? no('session-not-in-view', {}) : yes),
  'lock.delete': (_action, { lock }) => {
    if (lock === null) return no('lock-not-in-view', {});
    if (!lock.exists) return no('key-gone', {});
    if (lock.state === 'unknown') return no('holder-unknown', {});
    if (lock.state === 'held') return no('lock-held', {});
    return yes;
  },
  'semaphore.delete': (_action, { semaphore }) => {
    if (semaphore === null || semaphore.modifyIndex === null) return no('semaphore-not-in-view', {});
    // Deleting `.lock` while a Go client holds or waits makes every one of them fail (api/semaphore.go).
    if (semaphore.holders.length > 0)
      return no('holders-recorded', { recorded: semaphore.holders.length + unlistedHolders(semaphore) });
    if (semaphore.waiters.length > 0) return no('sessions-wait', { waiters: semaphore.waiters.length });
    // The holders could not be read, so there may be some.
    if (namedHolders(semaphore) === null) return no('not-understood', {});
    return yes;
  },
};

/** U+FFFD stands for any bytes that are not UTF-8, so such a name is not exact. */
export const isSure = (name: string): boolean => !name.includes('\ufffd');

const namesOf = (action: Action): readonly string[] =>
  'key' in action
    ? [action.key]
    : 'prefix' in action
      ? [action.prefix]
      : 'prefixes' in action
        ? action.prefixes
        : [];

export function permission(action: Action, world: World): Permission {
  if (!namesOf(action).every(isSure)) return no('name-not-sure', {});
  const found = find(action, world);
  if (isRefused(action, found)) return no('key-refused', {});
  const rule = can[action.type] as Rule<ActionType>;
  return rule(action, found);
}

/**
 * Whether the backend would refuse the write for its name. Ending a lock's session writes none, and a batch is
 * judged part by part.
 */
function isRefused(action: Action, { lock, semaphore }: Found): boolean {
  if (action.type === 'lock.release' && action.how === 'destroy-session') return false;
  if (action.type === 'semaphore.prune' && action.prefixes.length > 1) return false;
  return lock?.unwritable === true || semaphore?.unwritable === true;
}

export function find(action: Action, world: World): Found {
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

/**
 * Pruning needs no reason: it removes only records that no client has any more, and its plan's friction is
 * `click`. Every other action may reach a working process.
 */
export function reasonRequired(action: Action): boolean {
  return action.type !== 'semaphore.prune';
}

/** The page's target, and the audit's index. */
export function subjectsOf(action: Action): Subject[] {
  switch (action.type) {
    case 'lock.release':
    case 'lock.delete':
      return [lockSubject(action)];
    case 'semaphore.evict':
    case 'semaphore.resize':
    case 'semaphore.delete':
      return [semaphoreSubject(action)];
    case 'semaphore.prune':
      return action.prefixes.map((prefix) => semaphoreSubject({ source: action.source, prefix }));
    case 'session.destroy':
      return [sessionSubject({ source: action.source, id: action.sessionId })];
  }
}
