/**
 * What was read from Consul, and the questions that recognition asks of it. The index is built once for a view:
 * thousands of entries ask which session locks what, and scanning the rows for each would be quadratic.
 */
import type { Session, SessionCheck } from '@/lib/domain/model';
import type { RenewalView } from './renewals';
import type { Sightings } from './sightings';
import type { CheckRow, Row, SessionRow } from './wire';

export interface View {
  /** Sorted by key. */
  readonly rows: readonly Row[];
  /** The string prefixes that were read; '' is everything. What lies outside is not known to be absent. */
  readonly roots: readonly string[];
  /** Prefixes of semaphores, within the roots, of which something may not be read. Absent: not looked for. */
  readonly unread?: ReadonlySet<string>;
  /** `null`: could not be read. */
  readonly sessions: readonly SessionRow[] | null;
  readonly checks: readonly CheckRow[] | null;
  readonly sightings: Sightings;
  /** What was seen of renewals, and the moment of this view. Absent where nobody looks for them: a read for a write. */
  readonly renewals?: RenewalView;
  readonly nowMs?: number;
}

/** A session with what is known of its node and checks. */
export interface KnownSession {
  readonly row: SessionRow;
  readonly nodeStatus: Session['nodeStatus'];
  readonly checks: readonly SessionCheck[];
  /** No check but its node's own may end it. */
  readonly onlyNodeChecks: boolean;
}

/** Whether both say the same of a session, as far as a verdict or a name depends on it. */
export function sameSession(a: KnownSession | null, b: KnownSession | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  return (
    a.row.id === b.row.id &&
    a.row.name === b.row.name &&
    a.row.node === b.row.node &&
    a.row.ttlMs === b.row.ttlMs &&
    a.nodeStatus === b.nodeStatus &&
    a.onlyNodeChecks === b.onlyNodeChecks &&
    a.checks.length === b.checks.length &&
    a.checks.every((check, i) => check.name === b.checks[i]?.name && check.status === b.checks[i]?.status)
  );
}

export interface ViewIndex {
  readonly view: View;
  row(key: string): Row | undefined;
  session(id: string): KnownSession | null;
  readonly sessions: readonly KnownSession[];
  /** True when the session locks any entry whose key begins with `prefix`, a string prefix. */
  locksUnder(sessionId: string, prefix: string): boolean;
  /** True when every key that begins with `prefix` was read. */
  covers(prefix: string): boolean;
}

/** The check that Consul keeps for the node itself; every other may be about one process on it. */
const nodeCheckId = 'serfHealth';

const checkName = (node: string, checkId: string) => `${node}\u0000${checkId}`;

function statusOf(check: CheckRow | undefined): SessionCheck['status'] {
  const status = check?.status;
  return status === 'passing' || status === 'warning' || status === 'critical' ? status : 'unknown';
}

/**
 * The state of a node. Consul ends a node's sessions in the same entry that removes the node, so a listed session on
 * a missing node is one of two things: the moment between two reads, or a node that this token may not see. Neither
 * says that it has left.
 */
function nodeStatusOf(own: CheckRow | undefined): Session['nodeStatus'] {
  const status = statusOf(own);
  if (status === 'critical' || status === 'unknown') return status;
  return 'passing';
}

function knownSessions(view: View): KnownSession[] {
  const rows = view.sessions ?? [];
  const wanted = new Set(rows.map((row) => row.node));
  const checks = new Map<string, CheckRow>();
  for (const check of view.checks ?? [])
    if (wanted.has(check.node)) checks.set(checkName(check.node, check.checkId), check);

  return rows.map((row) => ({
    row,
    nodeStatus: nodeStatusOf(checks.get(checkName(row.node, nodeCheckId))),
    checks: row.checkIds.map((id) => {
      const check = checks.get(checkName(row.node, id));
      return { name: check?.name || id, status: statusOf(check) };
    }),
    onlyNodeChecks: row.checkIds.length > 0 && row.checkIds.every((id) => id === nodeCheckId),
  }));
}

/** Builds the index of one view. */
export function indexView(view: View): ViewIndex {
  const rows = new Map<string, Row>();
  const keysOf = new Map<string, string[]>();
  for (const row of view.rows) {
    rows.set(row.key, row);
    if (row.session === null) continue;
    const keys = keysOf.get(row.session);
    if (keys === undefined) keysOf.set(row.session, [row.key]);
    else keys.push(row.key);
  }
  const sessions = knownSessions(view);
  const byId = new Map(sessions.map((session) => [session.row.id, session]));
  return {
    view,
    row: (key) => rows.get(key),
    session: (id) => byId.get(id) ?? null,
    sessions,
    locksUnder: (sessionId, prefix) =>
      // The contender entry's own name first: a session may lock thousands of other keys.
      rows.get(`${prefix}/${sessionId}`)?.session === sessionId ||
      (keysOf.get(sessionId)?.some((key) => key.startsWith(prefix)) ?? false),
    covers: (prefix) =>
      view.unread?.has(prefix) !== true && view.roots.some((root) => prefix.startsWith(root)),
  };
}
