/** What an entry is, and since when, where nothing stored says it and only a watch can know. */

import type { Since } from '@/lib/domain/model';
import { isSessionId } from '@/lib/providers/consul/rows/coordination';

export interface Remembered {
  /** There was a coordination entry at this prefix (without slash), and who contended then is still there. */
  wasSemaphore(prefix: string): boolean;
  /** Who locks this key last is another session than the one that it is named after. */
  wasOthersLock(key: string): boolean;
  /** Since when this session holds this lock (a key), or a slot of this semaphore (a prefix without slash). */
  heldSince(name: string, sessionId: string): Since | null;
  /** Since when the contender entry is locked by the session that locks it now. */
  waitingSince(entryKey: string): Since | null;
  /** Since when the session has been seen; `null` for one that is not visible. */
  sessionSince(id: string): Since | null;
}

/** Keeps `misnamed`, the keys of which `wasOthersLock` is true, for a key that is locked. */
export function noteLocker(misnamed: Set<string>, key: string, session: string): void {
  const name = key.slice(key.lastIndexOf('/') + 1);
  if (name !== session && isSessionId(name)) misnamed.add(key);
  else misnamed.delete(key);
}

/** A first look knows only that something is there already; a watch may have seen it come. */
function elder(mine: Since | null, before: Since | null): Since | null {
  if (mine?.basis !== 'at-least' || before === null) return mine;
  return before.atMs < mine.atMs ? before : mine;
}

/** What one look has seen, with what a watch remembers from before; `null`: there is none. */
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
