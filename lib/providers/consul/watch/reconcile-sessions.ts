/**
 * Makes rows and session list speak of one moment. They come from two queries, so a row may name a session that is
 * not in the list because
 * (a) the token may not see it,
 * (b) the list is older than the row, or
 * (c) the row is older than the list, and the session is gone.
 * Only (a) may reach a screen; (b) and (c) would show a healthy holder as unknown, or a release as an invalidation.
 *
 * (b) is ruled out by reading the list again after the rows. That is spared where no session of the list can have ended:
 * one that had would have let go of what it locked. So where rows have only come to be locked nothing is read, and where a
 * few sessions have let go, each of them is asked for alone: the list may be of thousands. What is missing then is told apart by reading one of its rows once more: Consul frees every key of a session in the entry that ends it, so a
 * row that still names the session proves that the session is alive, hence hidden.
 */

import type { Row, SessionRow } from '@/lib/providers/consul/client/wire';
import type { Lockers } from '@/lib/providers/consul/rows/keys-by-session';

/** A session list as it was read. */
export interface SessionList {
  /** `null`: the token may not read sessions at all. */
  readonly value: readonly SessionRow[] | null;
  /** The Raft entry that last created or ended a session; `null`: not known. */
  readonly index: string | null;
}

export interface Readings {
  /** Of the rows. */
  readonly lockers: Lockers;
  readonly sessions: SessionList;
  /** The list was asked for after the rows had come in. */
  readonly sessionsAreNewer: boolean;
  /** The sessions that have let go of a key since rows that fitted a list no newer than this one; `null`: not known. */
  readonly letGo: ReadonlySet<string> | null;
}

export interface Asking {
  /** Whether this session is there, to the leader's knowledge. */
  readonly alive: (sessionId: string, signal: AbortSignal) => Promise<boolean>;
  readonly sessions: (signal: AbortSignal) => Promise<SessionList>;
  /** `unreadable`: it is listed, but no request can name it. */
  readonly row: (key: string, signal: AbortSignal) => Promise<Row | null | 'unreadable'>;
}

/**
 * The list that the rows were compared with, and whether they fit; if not, the rows are older, and the next ones are on
 * their way. Whatever is shown must be made from exactly this pair: while the reads were under way a newer list may
 * have come in, and with that one a session would seem to end while its row still looks locked.
 */
export interface Settled {
  readonly fits: boolean;
  readonly sessions: SessionList;
}

/** How many ids are proven at a time, each by one small read. Hidden ids are remembered, so this is paid once. */
const batchSize = 32;

/** As many sessions as are asked for one by one: so many small reads cost less than a list of a few hundred. */
const asksMax = 3;

const ids = new WeakMap<readonly SessionRow[], ReadonlySet<string>>();

/** A list never changes, and is asked about with each change of a row. */
function idsOf(sessions: readonly SessionRow[]): ReadonlySet<string> {
  const known = ids.get(sessions) ?? new Set(sessions.map(({ id }) => id));
  ids.set(sessions, known);
  return known;
}

/** None of these sessions of the list has ended. Sessions do not come back, so it had not when the rows were read. */
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

/** Session id to one key that it locks, for the ids that nothing explains yet. */
function unexplained(
  lockers: Lockers,
  sessions: readonly SessionRow[],
  hidden: ReadonlySet<string>,
): Map<string, string> {
  const listed = idsOf(sessions);
  const found = new Map<string, string>();
  for (const id of lockers.sessions()) {
    if (listed.has(id) || hidden.has(id)) continue;
    for (const key of lockers.keys(id)) found.set(id, key);
  }
  return found;
}

/**
 * `hidden` holds the ids that are proven to be out of sight; it is added to, and forgets the ids that no row names
 * any more. Throws what the reads throw.
 */
export async function settle(
  readings: Readings,
  asking: Asking,
  hidden: Set<string>,
  signal: AbortSignal,
): Promise<Settled> {
  const { lockers } = readings;
  if (readings.sessions.value === null) return { fits: true, sessions: readings.sessions };
  for (const id of hidden) if (!lockers.locks(id)) hidden.delete(id);
  const { letGo } = readings;
  // Neither is asked for where the list that is known settles it as well.
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
