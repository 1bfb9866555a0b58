/**
 * Each holder's state, from Consul's own data and as a screen shows it. The rules are repeated here briefly, and none
 * comes from Signalbox:
 *
 * - `ghost`: recorded, but its session locks no key under the prefix.
 * - `suspect`: present, and its node or a check of its session is critical.
 * - `well`: present, and neither is critical. Renewals do not count, because Consul does not show them.
 * - `unknown`: its session was not in view, or a screen cannot judge the node.
 */
import type { Holder } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';

/** One entry, as in Consul's JSON, with `value` decoded. */
export interface Entry {
  readonly key: string;
  readonly value: string;
  readonly session: string | null;
  readonly flags: string;
  readonly modifyIndex: string;
}

/** Consul's state at one moment. */
export interface Truth {
  readonly entries: readonly Entry[];
  readonly sessions: readonly string[];
  /** The sessions whose node, or a check of their own, is critical. */
  readonly failing: ReadonlySet<string>;
}

type State = 'ghost' | 'suspect' | 'well' | 'unknown';

const line = (key: string, session: string, state: State) => `holder ${key} ${session} ${state}`;

/** The holders of the lock `key`, or of the semaphore `prefix` of the entry. */
export function holdersOfTruth(
  { entries, sessions, failing }: Truth,
  { key, prefix, holders }: { key: string; prefix: string | null; holders: readonly string[] },
): string[] {
  const stateOf = (id: string): State => {
    const isThere =
      prefix === null || entries.some((one) => one.session === id && one.key.startsWith(`${prefix}/`));
    if (!isThere) return 'ghost';
    if (!sessions.includes(id)) return 'unknown';
    return failing.has(id) ? 'suspect' : 'well';
  };
  return holders.map((id) => line(key, id, stateOf(id)));
}

/** The state that a screen claims. */
function stateOn({ verdict, evidence }: Pick<Holder, 'verdict' | 'evidence'>): State {
  const says = (...codes: readonly string[]) => evidence.some(({ code }) => codes.includes(code));
  if (verdict === 'ghost' || verdict === 'suspect' || verdict === 'unknown') return verdict;
  // A screen names silence before a critical node, and the node beside it.
  if (verdict === 'overdue' && says('node-critical', 'check-critical')) return 'suspect';
  return says('node-unknown', 'check-unknown') ? 'unknown' : 'well';
}

const holdersOn = ({ locks, semaphores }: Pick<Snapshot, 'locks' | 'semaphores'>) => [
  ...locks.flatMap(({ key, exists, holder }) => (exists && holder !== null ? [{ key, holder }] : [])),
  ...semaphores
    .filter(({ flags }) => flags !== null)
    .flatMap(({ prefix, holders }) => holders.map((holder) => ({ key: `${prefix}/.lock`, holder }))),
];

/** The same, as a screen shows it. */
export function holdersOfScreen(snapshot: Pick<Snapshot, 'locks' | 'semaphores'>): string[] {
  return holdersOn(snapshot).map(({ key, holder }) => line(key, holder.sessionId, stateOn(holder)));
}

/** Sessions of holders that this screen calls well. */
export function calledWell(snapshot: Pick<Snapshot, 'locks' | 'semaphores'>): Set<string> {
  return new Set(
    holdersOn(snapshot).flatMap(({ holder }) => (stateOn(holder) === 'well' ? [holder.sessionId] : [])),
  );
}
