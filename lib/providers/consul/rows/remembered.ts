/** Facts about an entry that nothing stored says and only a watch can know. */

import type { Since } from '@/lib/domain/model';
import { isSessionId } from '@/lib/providers/consul/rows/coordination';

export interface Remembered {
  /** A coordination entry existed at this prefix (without slash), and its contenders still do. */
  wasSemaphore(prefix: string): boolean;
  /** Its last locker is another session than the one that it is named after. */
  wasOthersLock(key: string): boolean;
  /** `name`: a lock's key, or a semaphore's prefix without slash. */
  heldSince(name: string, sessionId: string): Since | null;
  /** Since when its present session locks the contender entry. */
  waitingSince(entryKey: string): Since | null;
  /** `null`: not visible. */
  sessionSince(id: string): Since | null;
}

/** Keeps `misnamed`, the keys for which `wasOthersLock` is true. */
export function noteLocker(misnamed: Set<string>, key: string, session: string): void {
  const name = key.slice(key.lastIndexOf('/') + 1);
  if (name !== session && isSessionId(name)) misnamed.add(key);
  else misnamed.delete(key);
}

/** A first look knows only that something exists; a watch may have seen it appear. */
function elder(own: Since | null, before: Since | null): Since | null {
  if (own?.basis !== 'at-least' || before === null) return own;
  return before.atMs < own.atMs ? before : own;
}

/** One look's facts, with a watch's earlier ones; `null`: there are none. */
export const withRemembered = <T extends Remembered>(seen: T, before: Remembered | null): T =>
  before === null
    ? seen
    : {
        ...seen,
        wasSemaphore: (prefix) => seen.wasSemaphore(prefix) || before.wasSemaphore(prefix),
        wasOthersLock: (key) => seen.wasOthersLock(key) || before.wasOthersLock(key),
        heldSince: (name, id) => elder(seen.heldSince(name, id), before.heldSince(name, id)),
        waitingSince: (key) => elder(seen.waitingSince(key), before.waitingSince(key)),
        sessionSince: (id) => elder(seen.sessionSince(id), before.sessionSince(id)),
      };
