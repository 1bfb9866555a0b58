/**
 * Makes rows and session list describe one moment. They come from two queries, so a row may name an unlisted session
 * because
 * - (a) the token may not see it,
 * - (b) the list is older than the row, or
 * - (c) the row is older than the list, and the session is gone.
 *
 * Only (a) may reach a screen. (b) and (c) would show a healthy holder as unknown, or a release as an invalidation.
 *
 * - A list that is read again after the rows rules out (b). An ended session releases its locks, so no such read is
 *   needed where no listed session released a key. If a few did, one small request for each is cheaper.
 * - A row that is read again distinguishes (a) from (c). Consul frees every key of a session in the Raft entry that ends
 *   it, so a row that still names the session proves it alive.
 */

import type { KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import type { Lockers } from '@/lib/providers/consul/rows/keys-by-session';

export interface SessionList {
  readonly value: readonly SessionRow[] | null;
  /** The Raft entry that last created or ended a session; `null`: unknown. */
  readonly index: string | null;
}

export interface SessionReadings {
  /** The sessions that the rows name, with their keys. */
  readonly lockers: Lockers;
  readonly sessions: SessionList;
  readonly sessionsAreNewer: boolean;
  /** Sessions that released a key since the last rows that fitted a list no newer than this one; `null`: unknown. */
  readonly letGo: ReadonlySet<string> | null;
}

export interface Asking {
  readonly alive: (sessionId: string, signal: AbortSignal) => Promise<boolean>;
  readonly sessions: (signal: AbortSignal) => Promise<SessionList>;
  /** `unreadable`: the key is listed, but no request can name it. */
  readonly row: (key: string, signal: AbortSignal) => Promise<KvRow | null | 'unreadable'>;
}

/**
 * The result of a comparison of the rows with a list. A view must use exactly this pair. With a newer list, a session
 * would seem to end while its row still looks locked.
 */
export interface Settled {
  /** False: newer rows are on their way. */
  readonly fits: boolean;
  readonly sessions: SessionList;
}

/** Ids proven per batch, each by one small read. Hidden ids are proven once. */
const batchSize = 32;

/** This many small reads cost less than a list of a few hundred. */
const asksMax = 3;

const ids = new WeakMap<readonly SessionRow[], ReadonlySet<string>>();

function idsOf(sessions: readonly SessionRow[]): ReadonlySet<string> {
  const known = ids.get(sessions) ?? new Set(sessions.map(({ id }) => id));
  ids.set(sessions, known);
  return known;
}

/** True when no wanted session has ended. Sessions do not come back, so none had ended when the rows were read. */
async function allAlive(
  wanted: ReadonlySet<string>,
  sessions: readonly SessionRow[],
  asking: Asking,
  signal: AbortSignal,
): Promise<boolean> {
  if (wanted.size > asksMax) return false;
  const listed = idsOf(sessions);
  for (const id of wanted) if (!listed.has(id)) return false;
  return (await Promise.all([...wanted].map((id) => asking.alive(id, signal)))).every(Boolean);
}

/** The session ids that nothing explains, each with one key that it locks. */
function unexplained(
  lockers: Lockers,
  sessions: readonly SessionRow[],
  hidden: ReadonlySet<string>,
): Map<string, string> {
  const keyBySession = new Map<string, string>();
  for (const id of lockers.outside(idsOf(sessions))) {
    if (hidden.has(id)) continue;
    for (const key of lockers.keys(id)) keyBySession.set(id, key);
  }
  return keyBySession;
}

/**
 * Compares rows and list, and asks Consul where they differ. Adds proven ids to `hidden`, and removes ids that no row
 * names. Throws the errors of the reads.
 */
export async function settle(
  readings: SessionReadings,
  asking: Asking,
  hidden: Set<string>,
  signal: AbortSignal,
): Promise<Settled> {
  const { lockers } = readings;
  if (readings.sessions.value === null) return { fits: true, sessions: readings.sessions };
  for (const id of hidden) if (!lockers.locks(id)) hidden.delete(id);
  const { letGo } = readings;
  // A newer list answers for released sessions.
  const asks = letGo !== null && !(readings.sessionsAreNewer && letGo.size > 0);
  if (
    asks &&
    unexplained(lockers, readings.sessions.value, hidden).size === 0 &&
    (await allAlive(letGo, readings.sessions.value, asking, signal))
  )
    return { fits: true, sessions: readings.sessions };

  const sessions = readings.sessionsAreNewer ? readings.sessions : await asking.sessions(signal);
  if (sessions.value === null) return { fits: true, sessions };

  const missing = [...unexplained(lockers, sessions.value, hidden)];
  for (let at = 0; at < missing.length; at += batchSize) {
    const checked = await Promise.all(
      missing.slice(at, at + batchSize).map(async ([id, key]) => {
        const row = await asking.row(key, signal);
        return { id, alive: row === 'unreadable' || row?.session === id };
      }),
    );
    for (const { id, alive } of checked) if (alive) hidden.add(id);
    if (checked.some(({ alive }) => !alive)) return { fits: false, sessions };
  }
  return { fits: true, sessions };
}
