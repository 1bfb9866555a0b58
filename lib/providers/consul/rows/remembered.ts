/** Facts about an entry that Consul does not store and only a watch can know. */

import type { Since } from '@/lib/domain/model';
import { isSessionId } from '@/lib/providers/consul/rows/coordination';

export interface Remembered {
  /** A coordination entry existed at this prefix (without slash), and its contenders still do. */
  wasSemaphore(prefix: string): boolean;
  /** True when the last locker is not the session in the key's name. */
  wasOthersLock(key: string): boolean;
  /** `name`: a lock's key, or a semaphore's prefix without slash. */
  heldSince(name: string, sessionId: string): Since | null;
  /** The instant since which the present session locks the contender entry. */
  waitingSince(entryKey: string): Since | null;
  /** `null`: the session is not visible. */
  sessionSince(id: string): Since | null;
}

/** Keeps `misnamed`, the keys for which `wasOthersLock` is true. */
export function noteLocker(misnamed: Set<string>, key: string, session: string): void {
  const name = key.slice(key.lastIndexOf('/') + 1);
  if (name !== session && isSessionId(name)) misnamed.add(key);
  else misnamed.delete(key);
}

/** The older instant. A first look only knows that something exists; a watch may have seen it appear. */
function elder(own: Since | null, before: Since | null): Since | null {
  if (own?.basis !== 'at-least' || before === null) return own;
  return before.atMs < own.atMs ? before : own;
}

/** The facts of one look, completed by a watch's earlier ones; `null`: none. */
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
