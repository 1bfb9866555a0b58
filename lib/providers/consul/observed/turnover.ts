/**
 * How often locks and semaphores change hands, as far as it was seen happen. Counted are sessions that come to hold:
 * for a lock by Consul's own count of acquisitions, which also tells of those between two looks; for a semaphore by
 * the names that appear in its coordination entry.
 *
 * A count falls without a word from Consul when the minute moves on. To look again for every such second would send
 * a patch a second to everyone, so falling counts ride along with other changes, and wait for a wake at a multiple
 * of five seconds at the most. A subject whose holder never changed has no count at all: a board of thousands of
 * quiet locks would otherwise be sent whole a minute after every outage.
 *
 * Changes leave the minute in the order in which they came, so they stand in one line as well: a look takes those off
 * its front that have left, however many names there are.
 */

import type { Turnover } from '@/lib/domain/model';
import type { Row } from '@/lib/providers/consul/client/wire';

export const windowMs = 60_000;
const wakeStepMs = 5_000;
/** More than anybody acquires between two looks: an index that jumped so far was restored, not counted. */
const jumpMax = 10_000;

interface Move {
  readonly atMs: number;
  readonly count: number;
}

export interface Turnovers {
  /**
   * Takes in what changed hands since the look before, by name (a key, or a prefix without slash), and calls `tell` with
   * every name of which `of` may say something else now. `afterGap`: what was counted so far is not whole.
   */
  add(
    moved: ReadonlyMap<string, number>,
    look: { readonly nowMs: number; readonly afterGap: boolean; exists(name: string): boolean },
    tell: (name: string) => void,
  ): void;
  /** A name is gone from the backend. It is forgotten once none of its changes counts. */
  gone(name: string): void;
  /** `null`: not watched for long enough, or no change seen to count from. As of the last look. */
  of(name: string): Turnover | null;
  /** When to look again because a count has become known or has fallen; `null` when none will. */
  wakeAtMs(): number | null;
}

/** How many times a lock was acquired between two looks at its entry. */
export function acquisitions(before: Row | undefined, now: Row): number {
  const same = before?.createIndex === now.createIndex;
  const counted = Number(now.lockIndex) - (same ? Number(before.lockIndex) : 0);
  // A plain write sets the count back to 0, so that a new session may be there without a higher count.
  const seen = now.session !== null && now.session !== (same ? before.session : null) ? 1 : 0;
  return counted > jumpMax ? seen : Math.max(counted, seen);
}

/** Nothing seen yet: counting begins with the first look. */
export function createTurnovers(): Turnovers {
  const moves = new Map<string, Move[]>();
  /** The same changes in the order of time, from `head` on. */
  let line: { readonly name: string; readonly atMs: number }[] = [];
  let head = 0;
  let sinceMs: number | null = null;
  let atMs = 0;
  const isKnown = () => sinceMs !== null && atMs - sinceMs >= windowMs;

  const restart = (nowMs: number, tell: (name: string) => void) => {
    for (const name of moves.keys()) tell(name);
    moves.clear();
    line = [];
    head = 0;
    sinceMs = nowMs;
    atMs = nowMs;
  };
  const takeOff = (nowMs: number, exists: (name: string) => boolean, tell: (name: string) => void) => {
    for (let first = line[head]; first !== undefined && first.atMs <= nowMs - windowMs; first = line[head]) {
      head += 1;
      const known = moves.get(first.name);
      known?.shift();
      if (known?.length === 0 && !exists(first.name)) moves.delete(first.name);
      tell(first.name);
    }
    if (head > 1_000 && head * 2 > line.length) {
      line = line.slice(head);
      head = 0;
    }
  };
  return {
    add: (moved, { nowMs, afterGap, exists }, tell) => {
      if (sinceMs === null || afterGap) {
        restart(nowMs, tell);
        return;
      }
      const wasKnown = isKnown();
      atMs = nowMs;
      takeOff(nowMs, exists, tell);
      for (const [name, count] of moved) {
        const known = moves.get(name);
        if (known === undefined) moves.set(name, [{ atMs: nowMs, count }]);
        else known.push({ atMs: nowMs, count });
        line.push({ name, atMs: nowMs });
        tell(name);
      }
      if (!wasKnown && isKnown()) for (const name of moves.keys()) tell(name);
    },
    gone: (name) => {
      if (moves.get(name)?.length === 0) moves.delete(name);
    },
    of: (name) => {
      const known = moves.get(name);
      if (known === undefined || !isKnown()) return null;
      return { changes: known.reduce((sum, move) => sum + move.count, 0), windowMs };
    },
    wakeAtMs: () => {
      const first = line[head];
      const fallsMs = first === undefined ? Number.POSITIVE_INFINITY : first.atMs + windowMs;
      const knownMs =
        sinceMs === null || isKnown() || moves.size === 0 ? Number.POSITIVE_INFINITY : sinceMs + windowMs;
      const wakeMs = Math.min(fallsMs, knownMs);
      return wakeMs === Number.POSITIVE_INFINITY ? null : Math.ceil(wakeMs / wakeStepMs) * wakeStepMs;
    },
  };
}
