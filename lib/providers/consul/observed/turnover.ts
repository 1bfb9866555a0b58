/**
 * Counts how often locks and semaphores change hands, in sessions that begin to hold. For a lock, Consul's own count
 * includes acquisitions between two looks. For a semaphore, new names in its entry count.
 *
 * A count falls with time, without news from Consul. Falling counts join other changes, or wait for a multiple of five
 * seconds, because every viewer would otherwise get a patch each second. A subject whose holder never changed has no
 * count. Otherwise thousands of quiet locks would be sent again a minute after every outage.
 *
 * Changes leave the minute in the order of their arrival, so one queue holds them.
 */

import type { Turnover } from '@/lib/domain/model';
import type { KvRow } from '@/lib/providers/consul/client/wire';

export const windowMs = 60_000;
const wakeStepMs = 5_000;
/** A larger jump between two looks means a restored index. */
const jumpMax = 10_000;

interface Move {
  readonly atMs: number;
  readonly count: number;
}

export interface Turnovers {
  /**
   * Takes in changes of hands since the last look. Calls `onChange` with every name whose `of` may differ now.
   * `afterGap`: the counts so far are incomplete.
   */
  add(
    moved: ReadonlyMap<string, number>,
    look: { readonly nowMs: number; readonly afterGap: boolean; exists(name: string): boolean },
    onChange: (name: string) => void,
  ): void;
  /** Drops the name once none of its changes counts. */
  gone(name: string): void;
  /** The count at the last look; `null`: the watch is too young, or there is no change to count. */
  of(name: string): Turnover | null;
  /** The instant at which a count starts or falls; `null`: never. */
  wakeAtMs(): number | null;
}

export function acquisitions(before: KvRow | undefined, now: KvRow): number {
  const same = before?.createIndex === now.createIndex;
  const counted = Number(now.lockIndex) - (same ? Number(before.lockIndex) : 0);
  // A plain write resets Consul's count to 0, so a new session may show without a higher count.
  const seen = now.session !== null && now.session !== (same ? before.session : null) ? 1 : 0;
  return counted > jumpMax ? seen : Math.max(counted, seen);
}

export function createTurnovers(): Turnovers {
  const moves = new Map<string, Move[]>();
  let line: { readonly name: string; readonly atMs: number }[] = [];
  let head = 0;
  let sinceMs: number | null = null;
  let atMs = 0;
  const isKnown = () => sinceMs !== null && atMs - sinceMs >= windowMs;

  const restart = (nowMs: number, onChange: (name: string) => void) => {
    for (const name of moves.keys()) onChange(name);
    moves.clear();
    line = [];
    head = 0;
    sinceMs = nowMs;
    atMs = nowMs;
  };
  const takeOff = (nowMs: number, exists: (name: string) => boolean, onChange: (name: string) => void) => {
    for (let first = line[head]; first !== undefined && first.atMs <= nowMs - windowMs; first = line[head]) {
      head += 1;
      const known = moves.get(first.name);
      known?.shift();
      if (known?.length === 0 && !exists(first.name)) moves.delete(first.name);
      onChange(first.name);
    }
    if (head > 1_000 && head * 2 > line.length) {
      line = line.slice(head);
      head = 0;
    }
  };
  return {
    add: (moved, { nowMs, afterGap, exists }, onChange) => {
      if (sinceMs === null || afterGap) {
        restart(nowMs, onChange);
        return;
      }
      const wasKnown = isKnown();
      atMs = nowMs;
      takeOff(nowMs, exists, onChange);
      for (const [name, count] of moved) {
        const known = moves.get(name);
        if (known === undefined) moves.set(name, [{ atMs: nowMs, count }]);
        else known.push({ atMs: nowMs, count });
        line.push({ name, atMs: nowMs });
        onChange(name);
      }
      if (!wasKnown && isKnown()) for (const name of moves.keys()) onChange(name);
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
