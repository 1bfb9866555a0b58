/**
 * The reads that feed an action. They are consistent (a quorum confirms the leader), and avoid `/v1/kv` for a key that
 * this path would rewrite.
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

/** The tools of every action. */
export interface ActContext {
  readonly client: ConsulClient;
  /** The string prefixes in view; '' is everything. Actions outside are refused. */
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The renewals that the watch has seen; `null` while there are none. */
  readonly renewals?: () => RenewalView | null;
  /** The watch's memory of contenders and their instants; `null` while there is none. */
  readonly remembered?: () => Remembered | null;
  readonly ends?: Ends;
  /**
   * Reads with the server's own token, while that sees everything; `null` otherwise. It judges actions that `client`
   * then makes, because a hidden entry can keep a holder alive.
   */
  readonly judge?: () => Judge | null;
}

export type Judge = Pick<ConsulClient, 'list'>;

/** The result of one consistent read. */
export interface Fresh {
  readonly view: ConsulView;
  readonly index: ViewIndex;
  readonly world: World;
  readonly observed: Observed;
  /**
   * Recorded sessions that may have ended (`missingFrom`). An action asks Consul (`askEnds`) before it takes anything
   * from one.
   */
  readonly missing: ReadonlySet<string>;
  /** True when `readReach` has read every key. Otherwise a session may hold more than was read. */
  readonly complete: boolean;
}

/** A `ProblemError` to throw, because no caller in between can act on a refusal. */
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

/** Throws the refusal of the permission table on the last read, as the screen applies it. */
export function requireAllowed(action: Action, { world }: Fresh): void {
  const answer = permission(action, world);
  if (!answer.allowed) throw refusal(problemOfRule[answer.reason.code], answer.reason);
}

/** Throws `unwritable` for a key that Consul refuses to write. Call it before any step that this write must follow. */
export function requireTaken({ index }: Fresh, key: string): void {
  if (!index.takes(key)) throw refusal('unwritable', { code: 'key-refused', facts: {} });
}

/** Every entry whose key begins with `prefix` (a string prefix), read for a write. */
export async function readPrefix(context: ActContext, prefix: string): Promise<readonly KvRow[]> {
  return (await readTree(context, prefix)).rows;
}

/** One entry, read for a write; `null` when it is absent. Hidden neighbours do not matter. */
export async function readEntry(context: ActContext, key: string): Promise<KvRow | null> {
  // A list covers a string prefix, so an unreadable neighbour could fail it.
  if (addressable(key))
    return (await context.client.get(key, { consistency: 'consistent', signal: context.signal })).value;
  return (await readPrefix(context, key)).find((row) => row.key === key) ?? null;
}

/** As `readPrefix`. `index`: the last write below the prefix; `null`: unknown. */
async function readTree(
  { client, signal }: ActContext,
  prefix: string,
): Promise<{ readonly rows: readonly KvRow[]; readonly index: string | null }> {
  // Consul 2.0 and later refuse a transaction on the empty prefix, so a list reads it.
  if (prefix === '' || addressable(prefix)) {
    const { value, index } = await client.list(prefix, { consistency: 'consistent', signal });
    // Hidden entries are not checked here: `token-rights.ts` asks about the relevant ones.
    return { rows: value, index };
  }
  const outcome = await client.txn([{ verb: 'get-tree', key: prefix }], { signal });
  if (outcome.done) return { rows: outcome.rows, index: null };
  throw refused(outcome.errors);
}

/** The meaning of a refused transaction, other than a lost comparison. */
export function refused(errors: readonly { readonly what: string }[]): ProblemError {
  const denied = errors.some(({ what }) => what.startsWith('Permission denied'));
  return denied
    ? refusal('forbidden', { code: 'token-refused', facts: {} })
    : refusal('conflict-in-use', { code: 'transaction-refused', facts: {} });
}

/** Resolves to `null` for a problem that is `excused`. Any other failure ends the action. */
export async function unless<T>(excused: (problem: Problem) => boolean, read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ProblemError && excused(error.problem)) return null;
    throw error;
  }
}

export const isForbidden = ({ code }: Problem) => code === 'forbidden';
/**
 * The token may not read the prefix, or Consul takes no transaction on it. A list of everything may still contain it.
 */
const isKept = ({ code }: Problem) => code === 'forbidden' || code === 'unwritable';
/** Used for health alone. Unreadable health is unknown evidence, and must not stop an action or hide its outcome. */
const isAnything = () => true;
/** Short, because an action reads several times and would wait for slow health each time. */
const healthTimeoutMs = 2_500;

interface Read {
  /** Sorted by key. */
  readonly rows: readonly KvRow[];
  readonly indexes: readonly (string | null)[];
  readonly roots: readonly string[];
  /** Keys are missing for certain. False: Consul reports none. */
  readonly filtered: boolean;
}

/** Every key, because a session may hold any of them. Only the roots where the token may not list everything. */
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

/**
 * Adds the present sessions and checks. Sessions are read after the keys, so a session that a key names is normally
 * listed.
 */
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
  // The rule matters only for keys that break it, which are rare.
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
    // Without the memory, a contender without a coordination entry could be released as a lock.
    sightings: withRemembered(observed, context.remembered?.() ?? null),
    nowMs: now(),
    ...(renewals === null ? {} : { renewals }),
  };
  let world: World | null = null;
  return {
    view,
    index: indexView(view),
    // Recognition costs more than reading, and many steps need only the rows.
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
 * Reads everything. `before`: an earlier read of the same action, by which a lock-delay that began in between is known.
 */
export async function readAll(context: ActContext, before: Fresh | null = null): Promise<Fresh> {
  return seen(context, await readEvery(context, before?.view.rows), before);
}

/** As `readAll`. `complete` is true when every key was read, because a session may hold any of them. */
export async function readReach(context: ActContext): Promise<Fresh> {
  const [read, sees] = await Promise.all([readEvery(context), seesEveryKey(context.client, context.signal)]);
  return seen(context, read, null, sees === true && !read.filtered);
}

/** As `readAll`, for one scope. Keys outside are neither present nor absent. */
export async function readScope(
  context: ActContext,
  scope: ReadScope,
  before: Fresh | null = null,
): Promise<Fresh> {
  const few = scope.length > scopeMax ? null : await unless(isKept, readTrees(context, scope));
  // A list of everything may contain a prefix that the token may not list, without its hidden entries.
  const read = few ?? narrowed(await readEvery(context), scope);
  return seen(context, read, before);
}

/**
 * As `readAll`, but keeps only the rows in `scope` and those that the session locks, with their neighbours. Every key
 * is read, so only hidden holdings are missing.
 */
export async function readHoldings(context: ActContext, sessionId: string, scope: ReadScope): Promise<Fresh> {
  const read = await readEvery(context);
  return seen(context, narrowed(read, holdingsScope(read.rows, sessionId, scope)), null);
}

/** The rows in the scope. All rows where a check of each would cost more than it saves. */
function narrowed(read: Read, scope: ReadScope): Read {
  if (scope.length > scopeMax) return read;
  return { ...read, rows: read.rows.filter(within(scope)), roots: scope };
}

/** Throws `not-found` for a subject outside the roots, and `invalid` for an uncertain name. */
export function requireInView({ roots }: Pick<ActContext, 'roots'>, name: string): void {
  if (!roots.some((root) => name.startsWith(root)))
    throw refusal('not-found', { code: 'outside-view', facts: { name } });
  // A transaction would name another key, and a deletion of an absent key succeeds at once.
  if (!isSure(name)) throw refusal('invalid', { code: 'name-not-sure', facts: {} });
}

/**
 * As `requireInView`, for a semaphore, whose place is its coordination entry. So the root `jobs/` shows the semaphore
 * `jobs`.
 */
export function requireSemaphoreInView(context: ActContext, prefix: string): void {
  requireInView(context, coordinationKey(prefix));
}

/** The semaphore as the screen shows it, or `null`. */
export function semaphoreOf(world: World, prefix: string): Semaphore | null {
  return world.semaphores.find((semaphore) => semaphore.prefix === prefix) ?? null;
}

/** The lock or semaphore as the screen shows it, or `null`. */
export function subjectIn(world: World, subject: Subject): Lock | Semaphore | null {
  if (subject.kind === 'lock') return world.locks.find(({ key }) => key === subject.key) ?? null;
  return subject.kind === 'semaphore' ? semaphoreOf(world, subject.prefix) : null;
}
