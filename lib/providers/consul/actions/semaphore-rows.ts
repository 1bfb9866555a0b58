/** One semaphore as its rows show it, the base of every write, with its recorded ghosts. */
import { hasOwnPath } from '@/lib/domain/by-hand/addressable';
import {
  askEnds,
  missingFrom,
  type Recorded,
  type SessionEnds,
} from '@/lib/providers/consul/client/session-end';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import {
  type Coordination,
  type CoordinationReading,
  coordinationKey,
  editCoordination,
  readCoordination,
} from '@/lib/providers/consul/rows/coordination';
import { type Doubt, ghostDoubt } from '@/lib/providers/consul/rows/ghost-rule';
import {
  type ActContext,
  type Fresh,
  isForbidden,
  type Judge,
  readPrefix,
  refusal,
  unless,
} from './consistent-read';

export interface SemaphoreRows {
  readonly prefix: string;
  /** All rows of the string prefix, as the client library reads it. */
  readonly rows: readonly KvRow[];
  readonly lock: KvRow | null;
  readonly reading: CoordinationReading | null;
  /** True when the session exists, or may exist. */
  readonly mayLive: (sessionId: string) => boolean;
  /** Recorded sessions that lock a hidden entry under the prefix. Absent: none known. */
  readonly kept?: ReadonlySet<string>;
}

/**
 * Picks one semaphore out of rows. `lock` is `null` without a coordination entry, and for one that a session locks,
 * which is a lock. Without `mayLive` every session may live, and only Go's flags prove a ghost.
 */
export function semaphoreIn(
  rows: readonly KvRow[],
  prefix: string,
  mayLive: SemaphoreRows['mayLive'] = () => true,
): SemaphoreRows {
  const own = rows.filter((row) => row.key.startsWith(prefix));
  const row = own.find(({ key }) => key === coordinationKey(prefix)) ?? null;
  // A session locks `.lock` only as a plain lock.
  const lock = row?.session === null ? row : null;
  return { prefix, rows: own, lock, reading: lock === null ? null : readCoordination(lock.value), mayLive };
}

/** One semaphore of a fresh read, whose sessions were read after its rows. */
export function semaphoreOfFresh({ view, missing }: Fresh, prefix: string): SemaphoreRows {
  return semaphoreIn(view.rows, prefix, (id) => !missing.has(id));
}

/** A semaphore, with Consul's answers about its recorded holders. */
export interface AskedRows extends SemaphoreRows {
  /** Recorded holders that look like ghosts and are none, because their sessions are hidden from the token. */
  readonly hidden: readonly string[];
  /** The reason for Consul's missing answer. No holder in doubt is a ghost then. */
  readonly undecided: 'refused' | 'delayed' | null;
}

/** Every entry whose key begins with the prefix. A list of everything replaces a path that leads elsewhere. */
export async function listedBy(by: Judge, prefix: string, signal: AbortSignal): Promise<readonly KvRow[]> {
  const { value } = await by.list(hasOwnPath(prefix) ? prefix : '', { consistency: 'consistent', signal });
  return value.filter(({ key }) => key.startsWith(prefix));
}

/**
 * Adds the sessions that lock hidden entries under the prefix. Go's clients list by string prefix, so such an entry may
 * stand beside the semaphore, under another rule.
 */
async function judged<R extends SemaphoreRows>({ judge, signal }: ActContext, rows: R): Promise<R> {
  const by = judge?.() ?? null;
  const open = unlockedIn(rows);
  if (by === null || open.length === 0) return rows;
  const value = await listedBy(by, rows.prefix, signal);
  const lockers = new Set(value.map(({ session }) => session));
  const kept = new Set(open.filter((id) => lockers.has(id)));
  return kept.size === 0 ? rows : { ...rows, kept };
}

const recordedIn = ({ prefix }: SemaphoreRows, ids: readonly string[]): Recorded[] =>
  ids.map((sessionId) => ({ sessionId, key: coordinationKey(prefix) }));

/** The semaphore after Consul's answers about `ids`. */
function decided(
  rows: SemaphoreRows,
  ids: readonly string[],
  { ended, there, refused, delayed }: SessionEnds,
): AskedRows {
  const key = coordinationKey(rows.prefix);
  return {
    ...rows,
    mayLive: (id) => (ids.includes(id) ? !ended.has(id) : rows.mayLive(id)),
    hidden: [...ids.filter((id) => there.has(id)), ...(rows.kept ?? [])],
    undecided: refused.has(key) ? 'refused' : delayed.has(key) ? 'delayed' : null,
  };
}

/** Holders that look like ghosts and need a question to Consul. A ghost by Go's rule needs none. */
const inDoubt = (rows: SemaphoreRows) =>
  ghostsIn(rows).filter((id) => ghostDoubt(rows.lock?.flags, id, () => true) !== null);

/**
 * As `semaphoreOfFresh` for each prefix. A holder in doubt counts as a ghost only when Consul confirms that its session
 * has ended.
 */
export async function askedOfFresh(
  context: ActContext,
  fresh: Fresh,
  prefixes: readonly string[],
): Promise<AskedRows[]> {
  const { client, signal } = context;
  const all: { readonly rows: SemaphoreRows; readonly ids: string[] }[] = [];
  for (const prefix of prefixes) {
    const rows = await judged(context, semaphoreOfFresh(fresh, prefix));
    all.push({ rows, ids: inDoubt(rows) });
  }
  // A semaphore that Consul refuses to write gets no prune, and would fail the question about the others.
  const recorded = all
    .filter(({ rows }) => fresh.index.takes(coordinationKey(rows.prefix)))
    .flatMap(({ rows, ids }) => recordedIn(rows, ids));
  const ends = await askEnds(client, recorded, signal);
  return all.map(({ rows, ids }) => decided(rows, ids, ends));
}

/** As `askedOfFresh`, for one holder of one semaphore. */
export async function askedOfHolder(
  context: ActContext,
  fresh: Fresh,
  { prefix, sessionId }: { readonly prefix: string; readonly sessionId: string },
): Promise<AskedRows> {
  const { client, signal } = context;
  const rows = await judged(context, semaphoreOfFresh(fresh, prefix));
  const ids = inDoubt(rows).filter((id) => id === sessionId);
  return decided(rows, ids, await askEnds(client, recordedIn(rows, ids), signal));
}

/**
 * Reads one semaphore for a write. Sessions are a second read, so they are read only where they matter. A session has
 * ended only when Consul confirms it.
 */
export async function readSemaphore(context: ActContext, prefix: string): Promise<AskedRows> {
  const rows = await judged(context, semaphoreIn(await readPrefix(context, prefix), prefix));
  const open = unlockedIn(rows).filter((id) => doubtOf(rows, id) === 'may-live');
  if (open.length === 0) return { ...rows, hidden: [...(rows.kept ?? [])], undecided: null };
  const { client, signal } = context;
  const sessions = await unless(isForbidden, client.sessions({ consistency: 'consistent', signal }));
  const missing = [...(await missingFrom(client, open, sessions, signal))];
  return decided(rows, missing, await askEnds(client, recordedIn(rows, missing), signal));
}

/**
 * Throws when Consul did not answer about the holders in doubt: `forbidden`, or `conflict-in-use` within a lock-delay.
 */
export function requireDecided({ prefix, undecided }: AskedRows): void {
  if (undecided === 'refused') throw refusal('forbidden', { code: 'token-refused', facts: {} });
  if (undecided === 'delayed')
    throw refusal('conflict-in-use', { code: 'entry-delayed', facts: { key: coordinationKey(prefix) } });
}

/** Recorded holders that lock no key under the prefix. As in the client library, it is a string prefix. */
function unlockedIn({ rows, reading, kept }: SemaphoreRows): string[] {
  const alive = new Set(rows.map((row) => row.session));
  return [...new Set(reading?.holders ?? [])].filter((id) => !alive.has(id) && kept?.has(id) !== true);
}

/** The reason why a recorded holder that locks nothing is no ghost. */
export function doubtOf({ lock, mayLive }: SemaphoreRows, sessionId: string): Doubt | null {
  return ghostDoubt(lock?.flags, sessionId, mayLive);
}

/** The ghosts among the recorded holders. `[]` when the entry could not be read. */
export function ghostsIn(semaphore: SemaphoreRows): string[] {
  return unlockedIn(semaphore).filter((id) => doubtOf(semaphore, id) === null);
}

/** One comparison that makes this edit in the coordination entry, and keeps the rest. */
export const rewriteOp = (
  lock: KvRow,
  coordination: Coordination,
  edit: Parameters<typeof editCoordination>[1],
): TxnOp => ({
  verb: 'cas',
  key: lock.key,
  value: editCoordination(coordination, edit),
  flags: lock.flags,
  index: lock.modifyIndex,
});

/** Throws `conflict-in-use` unless the coordination entry was understood in full, because no other is ever written. */
export function requireUnderstood({ prefix, lock, reading }: SemaphoreRows): {
  readonly lock: KvRow;
  readonly coordination: Coordination;
} {
  if (lock === null)
    throw refusal('not-found', { code: 'no-entry', facts: { key: coordinationKey(prefix) } });
  if (reading?.coordination == null) throw refusal('conflict-in-use', { code: 'not-understood', facts: {} });
  return { lock, coordination: reading.coordination };
}
