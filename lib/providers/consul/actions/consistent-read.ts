/**
 * The fresh reads that feed an action: consistent (a quorum confirms the leader), and never through `/v1/kv` for a
 * key that this path would rewrite.
 */

import { type Action, isSure, permission, problemOfRule } from '@/lib/domain/actions/action';
import { addressable } from '@/lib/domain/by-hand/addressable';
import type { Lock, Semaphore, Subject, World } from '@/lib/domain/model';
import { type Problem, type ProblemCode, ProblemError } from '@/lib/domain/problem';
import type { Difference, Why } from '@/lib/domain/refusal';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { breaksKeyRule, enforcesKeyRule } from '@/lib/providers/consul/client/key-rule';
import { seesEveryKey } from '@/lib/providers/consul/client/key-sight';
import { endedOf, missingFrom } from '@/lib/providers/consul/client/session-end';
import { sourceOf } from '@/lib/providers/consul/client/settings';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import type { Ends } from '@/lib/providers/consul/observed/sessions-ended-here';
import { type Observed, observe } from '@/lib/providers/consul/observed/sightings';
import { recognise } from '@/lib/providers/consul/recognise/recognise';
import { type ConsulView, indexView, type ViewIndex } from '@/lib/providers/consul/recognise/view';
import type { RenewalView } from '@/lib/providers/consul/renewals/renewals';
import { inKeyOrder } from '@/lib/providers/consul/rows/changed-rows';
import { coordinationKey } from '@/lib/providers/consul/rows/coordination';
import { type Remembered, withRemembered } from '@/lib/providers/consul/rows/remembered';
import { holdingsScope, type ReadScope, scopeMax, within } from './scope';

/** What every action is given. */
export interface ActContext {
  readonly client: ConsulClient;
  /** The string prefixes in view; '' is everything. An action outside them is refused. */
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** What the watch knows of renewals; `null` while there is none. */
  readonly renewals?: () => RenewalView | null;
  /** What the watch remembers: by it a contender is on screen as one, and since when. `null` while there is none. */
  readonly remembered?: () => Remembered | null;
  /** The sessions that this process has ended. */
  readonly ends?: Ends;
  /**
   * Reads with the server's own token, while that sees everything; `null` else. What is done is judged by it, and done with
   * `client`: what a person may not see can keep a holder alive.
   */
  readonly judge?: () => Judge | null;
}

export type Judge = Pick<ConsulClient, 'list'>;

/** What one consistent read says. */
export interface Fresh {
  readonly view: ConsulView;
  readonly index: ViewIndex;
  readonly world: World;
  readonly observed: Observed;
  /** Recorded sessions that may have ended (`missingFrom`). Before anything is taken from one, Consul is asked (`askEnds`). */
  readonly missing: ReadonlySet<string>;
  /** True where `readReach` knows it. Else there may be keys that were not read, and what a session holds is a lower bound. */
  readonly complete: boolean;
}

/** A `ProblemError` to throw: actions are deep, and nobody between can act on it. */
export function refusal(
  code: ProblemCode,
  why: Why,
  { difference, cause }: { difference?: readonly Difference[]; cause?: unknown } = {},
): ProblemError {
  return new ProblemError(
    difference === undefined ? { code, why } : { code, why, difference },
    cause === undefined ? undefined : { cause },
  );
}

/** Throws what the table of permissions says on what was just read: the same rules as on the screen. */
export function requireAllowed(action: Action, { world }: Fresh): void {
  const answer = permission(action, world);
  if (!answer.allowed) throw refusal(problemOfRule[answer.reason.code], answer.reason);
}

/** Throws `unwritable` for a key that Consul refuses to write, before something is done that its write has to follow. */
export function requireTaken({ index }: Fresh, key: string): void {
  if (!index.takes(key)) throw refusal('unwritable', { code: 'key-refused', facts: {} });
}

/** Every entry whose key begins with `prefix` (a string prefix), read for a write. */
export async function readPrefix(context: ActContext, prefix: string): Promise<readonly KvRow[]> {
  return (await readTree(context, prefix)).rows;
}

/** One entry, read for a write, whatever is kept from the token beside it; `null` when there is none. */
export async function readEntry(context: ActContext, key: string): Promise<KvRow | null> {
  // A list is of a string prefix, so a neighbour that may not be read would have it refused.
  if (addressable(key))
    return (await context.client.get(key, { consistency: 'consistent', signal: context.signal })).value;
  return (await readPrefix(context, key)).find((row) => row.key === key) ?? null;
}

/** As `readPrefix`. `index`: the last write below the prefix; `null` where it is not told. */
async function readTree(
  { client, signal }: ActContext,
  prefix: string,
): Promise<{ readonly rows: readonly KvRow[]; readonly index: string | null }> {
  // The empty prefix is everything, which a list alone can name: a transaction about it is refused since Consul 2.0.
  if (prefix === '' || addressable(prefix)) {
    const { value, index } = await client.list(prefix, { consistency: 'consistent', signal });
    // Whether something was kept from the token is asked of the entries that matter (`token-rights.ts`): a string prefix has neighbours.
    return { rows: value, index };
  }
  const outcome = await client.txn([{ verb: 'get-tree', key: prefix }], { signal });
  if (outcome.done) return { rows: outcome.rows, index: null };
  throw refused(outcome.errors);
}

/** What Consul's refusal of a whole transaction means, where it is not a lost comparison. */
export function refused(errors: readonly { readonly what: string }[]): ProblemError {
  const denied = errors.some(({ what }) => what.startsWith('Permission denied'));
  return denied
    ? refusal('forbidden', { code: 'token-refused', facts: {} })
    : refusal('conflict-in-use', { code: 'transaction-refused', facts: {} });
}

/** `null` where it could not be read for a problem that is `excused`; every other failure ends the action. */
export async function unless<T>(excused: (problem: Problem) => boolean, read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ProblemError && excused(error.problem)) return null;
    throw error;
  }
}

export const isForbidden = ({ code }: Problem) => code === 'forbidden';
/** Or Consul takes no transaction about the name. Either may be read as a part of everything. */
const isKept = ({ code }: Problem) => code === 'forbidden' || code === 'unwritable';
/**
 * For health alone: what cannot be read of it is evidence that is unknown, and nobody shall be kept for it from acting on a lock,
 * or from learning what became of an action.
 */
const isAnything = () => true;
/** An action reads again and again; each time it would wait for a health that does not come. */
const healthTimeoutMs = 2_500;

/** Rows, and how they were read. */
interface Read {
  /** Sorted by key. */
  readonly rows: readonly KvRow[];
  /** Of each list that was read. */
  readonly indexes: readonly (string | null)[];
  readonly roots: readonly string[];
  /** Keys are missing for sure; false: none, as far as Consul says. */
  readonly filtered: boolean;
}

/** Every key, because a session may hold any of them; the roots alone where listing everything is forbidden. */
async function readEvery(context: ActContext, known: readonly KvRow[] = []): Promise<Read> {
  const { client, roots, signal } = context;
  const all = await unless(isForbidden, client.list('', { consistency: 'consistent', signal, known }));
  if (all === null) return readTrees(context, roots);
  return { rows: inKeyOrder(all.value), indexes: [all.index], roots: [''], filtered: all.filtered };
}

/** Every row whose key begins with one of these string prefixes, each once. */
async function readTrees(context: ActContext, prefixes: readonly string[]): Promise<Read> {
  const apart = prefixes.filter((one) => !prefixes.some((two) => one !== two && one.startsWith(two)));
  const trees = await Promise.all([...new Set(apart)].map((prefix) => readTree(context, prefix)));
  return {
    rows: inKeyOrder(trees.flatMap(({ rows }) => rows)),
    indexes: trees.map(({ index }) => index),
    roots: prefixes,
    filtered: true,
  };
}

/** What was read, with the sessions and checks of now. Sessions come after the keys, so that one that a key names is normally in the list. */
async function seen(context: ActContext, read: Read, before: Fresh | null, complete = false): Promise<Fresh> {
  const { client, signal, now } = context;
  const options = { consistency: 'consistent', signal } as const;
  const [sessions, checks, servers] = await Promise.all([
    unless(isForbidden, client.sessions(options)),
    unless(isAnything, client.checks({ ...options, timeoutMs: healthTimeoutMs })),
    unless(isAnything, client.servers({ ...options, timeoutMs: healthTimeoutMs })),
  ]);
  const observed = observe(before?.observed ?? null, {
    rows: read.rows,
    rowsIndexes: read.indexes,
    sessions: sessions?.value ?? null,
    sessionsIndex: sessions?.index ?? null,
    nowMs: now(),
    afterGap: false,
    ...(context.ends === undefined ? {} : { ends: context.ends }),
  });
  const renewals = context.renewals?.() ?? null;
  const missing = await missingFrom(client, observed.unlisted(), sessions, signal);
  const ended = await endedOf(client, missing, sessions?.filtered === true, signal);
  // Hardly a store has such a key, and where there is none nothing follows from the rule.
  const rule = read.rows.some(({ key }) => breaksKeyRule(key)) ? await enforcesKeyRule(client, signal) : null;
  const view: ConsulView = {
    source: sourceOf(client.settings).id,
    rows: read.rows,
    roots: read.roots,
    isWhole: complete,
    sessions: sessions?.value ?? null,
    ended,
    ...(rule === null ? {} : { enforcesKeyRule: rule }),
    checks: checks?.value ?? null,
    servers: servers?.value ?? null,
    // Else a contender whose coordination entry is gone might be released as a lock.
    sightings: withRemembered(observed, context.remembered?.() ?? null),
    nowMs: now(),
    ...(renewals === null ? {} : { renewals }),
  };
  let world: World | null = null;
  return {
    view,
    index: indexView(view),
    // Recognising costs more than reading, and much of an action goes by rows alone.
    get world() {
      world ??= recognise(view);
      return world;
    },
    observed,
    missing,
    complete,
  };
}

/**
 * Reads everything in one go. `before` is what an earlier read of the same action saw, so that what happened in
 * between (a lock-delay that began) is known.
 */
export async function readAll(context: ActContext, before: Fresh | null = null): Promise<Fresh> {
  return seen(context, await readEvery(context, before?.view.rows), before);
}

/** As `readAll`, and `complete` says whether that is every key there is. For what a session holds, which may be any of them. */
export async function readReach(context: ActContext): Promise<Fresh> {
  const [read, sees] = await Promise.all([readEvery(context), seesEveryKey(context.client, context.signal)]);
  return seen(context, read, null, sees === true && !read.filtered);
}

/** As `readAll`, of a scope alone: what is outside is neither there nor absent. */
export async function readScope(
  context: ActContext,
  scope: ReadScope,
  before: Fresh | null = null,
): Promise<Fresh> {
  const few = scope.length > scopeMax ? null : await unless(isKept, readTrees(context, scope));
  // What may not be read by its prefix may be read as a part of everything, without what is kept from the token.
  const read = few ?? narrowed(await readEvery(context), scope);
  return seen(context, read, before);
}

/**
 * As `readAll`, with only those rows in view that the session locks, what they belong to, and `scope`. Every key was
 * read for it, so nothing that the session holds is missing but what the token may not read.
 */
export async function readHoldings(context: ActContext, sessionId: string, scope: ReadScope): Promise<Fresh> {
  const read = await readEvery(context);
  return seen(context, narrowed(read, holdingsScope(read.rows, sessionId, scope)), null);
}

/** What of it is in the scope; all of it where to look for each row in the scope would cost more than it saves. */
function narrowed(read: Read, scope: ReadScope): Read {
  if (scope.length > scopeMax) return read;
  return { ...read, rows: read.rows.filter(within(scope)), roots: scope };
}

/** Throws `not-found` for a subject outside the prefixes that this console was given, `invalid` for a name that is not sure. */
export function requireInView({ roots }: Pick<ActContext, 'roots'>, name: string): void {
  if (!roots.some((root) => name.startsWith(root)))
    throw refusal('not-found', { code: 'outside-view', facts: { name } });
  // A transaction would name another key, and deleting one that is not there is done at once.
  if (!isSure(name)) throw refusal('invalid', { code: 'name-not-sure', facts: {} });
}

/**
 * As `requireInView`, of a semaphore: it is in view where its coordination entry is. So `jobs/` shows the semaphore `jobs`, whose
 * name does not begin with that.
 */
export function requireSemaphoreInView(context: ActContext, prefix: string): void {
  requireInView(context, coordinationKey(prefix));
}

/** The semaphore as the console shows it, or `null`. */
export function semaphoreOf(world: World, prefix: string): Semaphore | null {
  return world.semaphores.find((semaphore) => semaphore.prefix === prefix) ?? null;
}

/** The lock or semaphore as the console shows it, or `null`. */
export function subjectIn(world: World, subject: Subject): Lock | Semaphore | null {
  if (subject.kind === 'lock') return world.locks.find(({ key }) => key === subject.key) ?? null;
  return subject.kind === 'semaphore' ? semaphoreOf(world, subject.prefix) : null;
}
