/**
 * Consul's data, and the lookups that recognition makes in it. The index is updated by differences, because a new one
 * costs as much as a world.
 */

import type { Session, SessionCheck } from '@/lib/domain/model';
import { finish, type Steps } from '@/lib/domain/sliced-work';
import { firstSource, type SourceId } from '@/lib/domain/source';
import { same } from '@/lib/domain/world/change';
import { breaksKeyRule } from '@/lib/providers/consul/client/key-rule';
import type { CheckRow, KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import type { Sightings } from '@/lib/providers/consul/observed/sightings';
import type { RenewalView } from '@/lib/providers/consul/renewals/renewals';
import {
  type ChangedRow,
  changingRows,
  type ListedRows,
  listsOf,
  noted,
  rowAt,
  rowsAt,
} from '@/lib/providers/consul/rows/changed-rows';
import { createLockers } from '@/lib/providers/consul/rows/keys-by-session';

/** Rows are sorted by key, in code unit order. */
export interface ConsulView extends ListedRows {
  /** Absent: the first source. */
  readonly source?: SourceId;
  /** String prefixes that were read; '' is everything. Keys outside are not known to be absent. */
  readonly roots: readonly string[];
  /** False: the token may not see it all. Absent: as the roots say. */
  readonly isWhole?: boolean;
  /** Prefixes of semaphores with unreadable entries. Absent: not checked. */
  readonly unread?: ReadonlySet<string>;
  /** `null`: could not be read. */
  readonly sessions: readonly SessionRow[] | null;
  /** Ended sessions among the unlisted ones that are recorded under other flags than Go's. */
  readonly ended?: ReadonlySet<string>;
  /** Consul refuses keys that break its rule (`key-rule.ts`). Absent: unknown. */
  readonly enforcesKeyRule?: boolean;
  readonly checks: readonly CheckRow[] | null;
  /** Nodes that are Consul servers. `null` or absent: unknown. */
  readonly servers?: readonly string[] | null;
  readonly sightings: Sightings;
  /** Absent while no watch follows renewals. */
  readonly renewals?: RenewalView;
  readonly nowMs?: number;
}

export interface KnownSession {
  readonly row: SessionRow;
  readonly nodeStatus: Session['nodeStatus'];
  readonly checks: readonly SessionCheck[];
  /** True when only its node's own check can end it. */
  readonly onlyNodeChecks: boolean;
  /** True when its node is a Consul server; false if unknown. */
  readonly onServer: boolean;
  /** Shared by all holders and waiters of the session. */
  readonly shown: { readonly name: string; readonly node: string };
}

export interface ViewIndex {
  readonly view: ConsulView;
  row(key: string): KvRow | undefined;
  session(id: string): KnownSession | null;
  /** True when the session locks a key under `prefix`, a string prefix. */
  locksUnder(sessionId: string, prefix: string): boolean;
  /** True when every key that begins with `prefix` was read. */
  covers(prefix: string): boolean;
  /** False when Consul refuses to write the key. */
  takes(key: string): boolean;
}

export interface Differences {
  readonly rows: readonly ChangedRow[];
  /** Sessions that were created, ended or changed. */
  readonly sessions: ReadonlySet<string>;
}

export interface LivingIndex extends ViewIndex {
  take(view: ConsulView): Steps<Differences>;
  /** The rows of this name. Several only for keys that differ in bytes outside of UTF-8. */
  rowsAt(key: string): readonly KvRow[];
  locked(sessionId: string): Iterable<string>;
}

/** Consul's check for the node itself. Any other check may concern one process on it. */
const nodeCheckId = 'serfHealth';

const checkName = (node: string, checkId: string) => `${node}\u0000${checkId}`;

function statusOf(check: CheckRow | undefined): SessionCheck['status'] {
  const status = check?.status;
  return status === 'passing' || status === 'warning' || status === 'critical' ? status : 'unknown';
}

/**
 * Consul ends a node's sessions in the entry that removes the node. So a listed session on a missing node does not
 * prove that the node has left. The two reads may differ in time, or the node may be hidden.
 */
function nodeStatusOf(own: CheckRow | undefined): Session['nodeStatus'] {
  const status = statusOf(own);
  if (status === 'critical' || status === 'unknown') return status;
  return 'passing';
}

function knownSessions(view: ConsulView): Map<string, KnownSession> {
  const rows = view.sessions ?? [];
  const wanted = new Set(rows.map((row) => row.node));
  const servers = new Set(view.servers);
  const checks = new Map<string, CheckRow>();
  for (const check of view.checks ?? [])
    if (wanted.has(check.node)) checks.set(checkName(check.node, check.checkId), check);
  /** Check lists by node, because nearly all sessions of a node have the same. */
  const shared = new Map<string, readonly SessionCheck[]>();
  const checksOf = ({ node, checkIds }: SessionRow): readonly SessionCheck[] => {
    const name = checkIds.map((id) => checkName(node, id)).join('\u0000');
    const known = shared.get(name);
    if (known !== undefined) return known;
    const fresh = checkIds.map((id) => {
      const check = checks.get(checkName(node, id));
      return { name: check?.name || id, status: statusOf(check) };
    });
    shared.set(name, fresh);
    return fresh;
  };
  const known = (row: SessionRow): KnownSession => ({
    row,
    nodeStatus: nodeStatusOf(checks.get(checkName(row.node, nodeCheckId))),
    checks: checksOf(row),
    onlyNodeChecks: row.checkIds.length > 0 && row.checkIds.every((id) => id === nodeCheckId),
    onServer: servers.has(row.node),
    shown: { name: row.name, node: row.node },
  });
  return new Map(rows.map((row) => [row.id, known(row)]));
}

const nothing: ConsulView = {
  rows: [],
  roots: [],
  sessions: null,
  checks: null,
  sightings: {
    heldSince: () => null,
    waitingSince: () => null,
    sessionSince: () => null,
    delay: () => null,
    delayedWithoutEntry: [],
    wasLock: () => false,
    wasSemaphore: () => false,
    wasOthersLock: () => false,
    turnover: () => null,
    limitChange: () => null,
  },
};

export function createIndex(): LivingIndex {
  let view = nothing;
  let sessions = new Map<string, KnownSession>();
  const lockers = createLockers();
  const row = (key: string) => rowAt(listsOf(view), key);

  const changedSessions = (next: ConsulView): ReadonlySet<string> => {
    const changed = new Set<string>();
    const sameNodes = next.checks === view.checks && next.servers === view.servers;
    if (next.sessions === view.sessions && sameNodes) return changed;
    const before = sessions;
    sessions = knownSessions(next);
    for (const [id, now] of sessions) {
      const was = before.get(id);
      const isSame = was?.row === now.row && sameNodes;
      if (was !== undefined && (isSame || same(was, now))) sessions.set(id, was);
      else changed.add(id);
    }
    for (const id of before.keys()) if (!sessions.has(id)) changed.add(id);
    return changed;
  };
  return {
    get view() {
      return view;
    },
    *take(next) {
      const rows = yield* changingRows(listsOf(view), listsOf(next));
      for (const one of rows) {
        lockers.change(one);
        yield noted;
      }
      const differences = { rows, sessions: changedSessions(next) };
      view = next;
      return differences;
    },
    row,
    rowsAt: (key) => rowsAt(listsOf(view), key),
    locked: lockers.keys,
    session: (id) => sessions.get(id) ?? null,
    locksUnder: (sessionId, prefix) => {
      // The contender entry first, because a session may lock thousands of other keys.
      if (row(`${prefix}/${sessionId}`)?.session === sessionId) return true;
      for (const key of lockers.keys(sessionId)) if (key.startsWith(prefix)) return true;
      return false;
    },
    covers: (prefix) =>
      view.unread?.has(prefix) !== true && view.roots.some((root) => prefix.startsWith(root)),
    takes: (key) => view.enforcesKeyRule !== true || !breaksKeyRule(key),
  };
}

export const sourceIn = ({ view: { source = firstSource } }: Pick<ViewIndex, 'view'>): SourceId => source;

export function indexView(view: ConsulView): ViewIndex {
  const index = createIndex();
  finish(index.take(view));
  return index;
}
