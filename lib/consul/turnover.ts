/**
 * How often locks and semaphores change hands, as far as it was seen happen. Counted are sessions that come to hold:
 * for a lock by Consul's own count of acquisitions, which also tells of those between two looks; for a semaphore by
 * the names that appear in its coordination entry.
 *
 * A count falls without a word from Consul when the minute moves on. To look again for every such second would send
 * a patch a second to everyone, so falling counts ride along with other changes, and wait for a wake at a multiple
 * of five seconds at the most. A subject whose holder never changed has no count at all: a board of thousands of
 * quiet locks would otherwise be sent whole a minute after every outage.
 */
import type { Turnover } from '@/lib/domain/model';
import type { Row } from './wire';

export const windowMs = 60_000;
const wakeStepMs = 5_000;
/** More than anybody acquires between two looks: an index that jumped so far was restored, not counted. */
const jumpMax = 10_000;

interface Move {
  readonly atMs: number;
  readonly count: number;
}

/** Changes of hands by name (a key, or a prefix without slash), oldest first. Treat it as a value. */
export interface Turnovers {
  /** Since when nothing was missed. */
  readonly sinceMs: number;
  readonly moves: ReadonlyMap<string, readonly Move[]>;
}

/** How many times a lock was acquired between two looks at its entry. */
export function acquisitions(before: Row | undefined, now: Row): number {
  const same = before?.createIndex === now.createIndex;
  const counted = Number(now.lockIndex) - (same ? Number(before.lockIndex) : 0);
  // A plain write sets the count back to 0, so that a new session may be there without a higher count.
  const seen = now.session !== null && now.session !== (same ? before.session : null) ? 1 : 0;
  return counted > jumpMax ? seen : Math.max(counted, seen);
}

/** The turnovers after one more look, in which `moved` changed hands. Pure. */
export function turnoversAfter(
  before: Turnovers | null,
  moved: ReadonlyMap<string, number>,
  { nowMs, afterGap, exists }: { nowMs: number; afterGap: boolean; exists: (name: string) => boolean },
): Turnovers {
  if (before === null || afterGap) return { sinceMs: nowMs, moves: new Map() };
  const moves = new Map<string, readonly Move[]>();
  for (const [name, known] of before.moves) {
    const recent = known.some((move) => move.atMs <= nowMs - windowMs)
      ? known.filter((move) => move.atMs > nowMs - windowMs)
      : known;
    if (recent.length > 0 || exists(name)) moves.set(name, recent);
  }
  for (const [name, count] of moved) moves.set(name, [...(moves.get(name) ?? []), { atMs: nowMs, count }]);
  return { sinceMs: before.sinceMs, moves };
}

/** The turnover of one name at `nowMs`; `null`: not watched for long enough, or no change seen to count from. */
export function turnoverOf({ sinceMs, moves }: Turnovers, name: string, nowMs: number): Turnover | null {
  const known = moves.get(name);
  if (known === undefined || nowMs - sinceMs < windowMs) return null;
  return { changes: known.reduce((sum, move) => sum + move.count, 0), windowMs };
}

/** When to look again because a count has become known or has fallen; `null` when none will. */
export function turnoverWakeMs({ sinceMs, moves }: Turnovers, nowMs: number): number | null {
  let atMs = Number.POSITIVE_INFINITY;
  for (const known of moves.values()) {
    const oldest = known[0];
    if (oldest !== undefined) atMs = Math.min(atMs, oldest.atMs + windowMs);
    if (nowMs - sinceMs < windowMs) atMs = Math.min(atMs, sinceMs + windowMs);
  }
  return atMs === Number.POSITIVE_INFINITY ? null : Math.ceil(atMs / wakeStepMs) * wakeStepMs;
}
