/**
 * Makes rows and session list speak of one moment. They come from two queries, so a row may name a session that is
 * not in the list because
 * (a) the token may not see it,
 * (b) the list is older than the row, or
 * (c) the row is older than the list, and the session is gone.
 * Only (a) may reach a screen; (b) and (c) would show a healthy holder as unknown, or a release as an invalidation.
 *
 * (b) is ruled out by reading the list again after the rows. What is missing then is told apart by reading one of
 * its rows once more: Consul frees every key of a session in the entry that ends it, so a row that still names the
 * session proves that the session is alive, hence hidden.
 */
import type { Row, SessionRow } from './wire';

export interface Readings {
  readonly rows: readonly Row[];
  /** `null`: the token may not read sessions at all. */
  readonly sessions: readonly SessionRow[] | null;
  /** The list was asked for after the rows had come in. */
  readonly sessionsAreNewer: boolean;
}

export interface Asking {
  readonly sessions: (signal: AbortSignal) => Promise<readonly SessionRow[] | null>;
  /** `unreadable`: it is listed, but no request can name it. */
  readonly row: (key: string, signal: AbortSignal) => Promise<Row | null | 'unreadable'>;
}

/** `settled`: they fit. `rows-behind`: rows are older than the list; the next rows are on their way. */
export type Settled = 'settled' | 'rows-behind';

/** How many ids are proven at a time, each by one small read. Hidden ids are remembered, so this is paid once. */
const batchSize = 32;

/** Session id to one key that it locks, for the ids that nothing explains yet. */
function unexplained(
  rows: readonly Row[],
  sessions: readonly SessionRow[],
  hidden: ReadonlySet<string>,
): Map<string, string> {
  const listed = new Set(sessions.map((session) => session.id));
  const found = new Map<string, string>();
  for (const { session, key } of rows)
    if (session !== null && !listed.has(session) && !hidden.has(session)) found.set(session, key);
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
  const { rows } = readings;
  if (readings.sessions === null) return 'settled';
  const named = new Set(rows.map((row) => row.session));
  for (const id of hidden) if (!named.has(id)) hidden.delete(id);

  let sessions: readonly SessionRow[] | null = readings.sessions;
  let missing = unexplained(rows, sessions, hidden);
  if (!readings.sessionsAreNewer) {
    sessions = await asking.sessions(signal);
    if (sessions === null) return 'settled';
    missing = unexplained(rows, sessions, hidden);
  }
  if (missing.size === 0) return 'settled';

  const ids = [...missing];
  for (let at = 0; at < ids.length; at += batchSize) {
    const checked = await Promise.all(
      ids.slice(at, at + batchSize).map(async ([id, key]) => {
        const row = await asking.row(key, signal);
        return { id, alive: row === 'unreadable' || row?.session === id };
      }),
    );
    for (const { id, alive } of checked) if (alive) hidden.add(id);
    if (checked.some(({ alive }) => !alive)) return 'rows-behind';
  }
  return 'settled';
}
