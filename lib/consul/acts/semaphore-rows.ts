/** One semaphore as its rows say: what every write to it starts from, and who of the recorded is a ghost. */
import { askEnds, endedOf } from '@/lib/consul/client/session-end';
import type { Row } from '@/lib/consul/client/wire';
import {
  type Coordination,
  type CoordinationReading,
  readCoordination,
} from '@/lib/consul/recognise/coordination';
import { type Doubt, ghostDoubt } from '@/lib/consul/recognise/ghost-rule';
import {
  type ActContext,
  coordinationKey,
  type Fresh,
  isForbidden,
  readPrefix,
  refusal,
  unless,
} from './fresh';

/** One semaphore as its rows say: what every write to it starts from. */
export interface SemaphoreRows {
  readonly prefix: string;
  /** All rows of the string prefix, which is what the client library looks at. */
  readonly rows: readonly Row[];
  /** The coordination entry; `null` when there is none. */
  readonly lock: Row | null;
  readonly reading: CoordinationReading | null;
  /** Whether a session might be there, for all that is known. */
  readonly mayLive: (sessionId: string) => boolean;
}

/**
 * Picks one semaphore out of rows. `lock` is `null` when no coordination entry is there, or a session locks it: a lock.
 * Without `mayLive` every session might live, and only Go's flags prove a ghost.
 */
export function semaphoreIn(
  rows: readonly Row[],
  prefix: string,
  mayLive: SemaphoreRows['mayLive'] = () => true,
): SemaphoreRows {
  const own = rows.filter((row) => row.key.startsWith(prefix));
  const row = own.find(({ key }) => key === coordinationKey(prefix)) ?? null;
  // A session locks `.lock` only where it is a plain lock: a semaphore's never is.
  const lock = row?.session === null ? row : null;
  return { prefix, rows: own, lock, reading: lock === null ? null : readCoordination(lock.value), mayLive };
}

/** One semaphore of a fresh read, with the sessions that were read after its rows. */
export function semaphoreOfFresh({ view, index }: Fresh, prefix: string): SemaphoreRows {
  return semaphoreIn(view.rows, prefix, (id) => index.session(id) !== null || view.ended?.has(id) !== true);
}

/** A semaphore of whose recorded holders Consul was asked which have ended. */
export interface AskedRows extends SemaphoreRows {
  /** Those that look like ghosts, for their sessions are kept from the token, and are none. */
  readonly hidden: readonly string[];
  /** Why Consul did not say. Nobody in doubt is a ghost then. */
  readonly undecided: 'refused' | 'delayed' | null;
}

/** Asks of each semaphore about those recorded ones that are in doubt and not known to be there. */
async function asked(
  { client, signal }: ActContext,
  all: readonly { readonly rows: SemaphoreRows; readonly ids: readonly string[] }[],
): Promise<AskedRows[]> {
  const recorded = all.flatMap(({ rows, ids }) =>
    ids.map((sessionId) => ({ sessionId, key: coordinationKey(rows.prefix) })),
  );
  const { ended, there, refused, delayed } = await askEnds(client, recorded, signal);
  return all.map(({ rows, ids }) => {
    const key = coordinationKey(rows.prefix);
    return {
      ...rows,
      mayLive: (id) => (ids.includes(id) ? !ended.has(id) : rows.mayLive(id)),
      hidden: ids.filter((id) => there.has(id)),
      undecided: refused.has(key) ? 'refused' : delayed.has(key) ? 'delayed' : null,
    };
  });
}

/**
 * As `semaphoreOfFresh` of each prefix, where of those that look like ghosts only those are some of whom Consul says, when asked for
 * each, that their session has ended. `of`: only these are asked for; all of them by default.
 */
export function askedOfFresh(
  context: ActContext,
  fresh: Fresh,
  prefixes: readonly string[],
  of: (sessionId: string) => boolean = () => true,
): Promise<AskedRows[]> {
  const all = prefixes.map((prefix) => {
    const rows = semaphoreOfFresh(fresh, prefix);
    // A ghost by Go's rule is one whatever sessions there are.
    const inDoubt = (id: string) => of(id) && ghostDoubt(rows.lock?.flags, id, () => true) !== null;
    return { rows, ids: ghostsIn(rows).filter(inDoubt) };
  });
  return asked(context, all);
}

/**
 * Reads one semaphore for a write. Sessions are asked for only where they matter: they are a second read. One has ended only
 * where Consul says so when asked for it.
 */
export async function readSemaphore(context: ActContext, prefix: string): Promise<AskedRows> {
  const rows = semaphoreIn(await readPrefix(context, prefix), prefix);
  const inDoubt = unlockedIn(rows).filter((id) => doubtOf(rows, id) === 'may-live');
  if (inDoubt.length === 0) return { ...rows, hidden: [], undecided: null };
  const { client, signal } = context;
  const sessions = await unless(isForbidden, client.sessions({ consistency: 'consistent', signal }));
  const missing = await endedOf(client, inDoubt, sessions, signal);
  const [only] = await asked(context, [{ rows, ids: [...missing] }]);
  if (only === undefined) throw new Error('One semaphore was asked for, and none answered.');
  return only;
}

/** Throws where Consul did not say who of the recorded has ended: `forbidden`, or `conflict-in-use` within a lock-delay. */
export function requireDecided({ prefix, undecided }: AskedRows): void {
  if (undecided === 'refused') throw refusal('forbidden', { code: 'token-refused', facts: {} });
  if (undecided === 'delayed')
    throw refusal('conflict-in-use', { code: 'entry-delayed', facts: { key: coordinationKey(prefix) } });
}

/** Recorded holders that no key under the prefix belongs to, over a list by string prefix as the client library's. */
function unlockedIn({ rows, reading }: SemaphoreRows): string[] {
  const alive = new Set(rows.map((row) => row.session));
  return [...new Set(reading?.holders ?? [])].filter((id) => !alive.has(id));
}

/** What keeps a recorded holder that locks nothing from being a ghost. */
export function doubtOf({ lock, mayLive }: SemaphoreRows, sessionId: string): Doubt | null {
  return ghostDoubt(lock?.flags, sessionId, mayLive);
}

/** The ghosts among the recorded holders. `[]` when the entry could not be read. */
export function ghostsIn(semaphore: SemaphoreRows): string[] {
  return unlockedIn(semaphore).filter((id) => doubtOf(semaphore, id) === null);
}

/** Throws `conflict-in-use` unless the coordination entry was understood in full: no other is ever written. */
export function requireUnderstood({ prefix, lock, reading }: SemaphoreRows): {
  readonly lock: Row;
  readonly coordination: Coordination;
} {
  if (lock === null)
    throw refusal('not-found', { code: 'no-entry', facts: { key: coordinationKey(prefix) } });
  if (reading?.coordination == null) throw refusal('conflict-in-use', { code: 'not-understood', facts: {} });
  return { lock, coordination: reading.coordination };
}
