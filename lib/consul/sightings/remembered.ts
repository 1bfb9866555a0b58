/** What an entry is, where neither it nor what is beside it tells, and only who watched can know. */
import { isSessionId } from '@/lib/consul/recognise/coordination';

export interface Remembered {
  /** There was a coordination entry at this prefix (without slash), and who contended then is still there. */
  wasSemaphore(prefix: string): boolean;
  /** Who locked this key last is another session than the one that it is named after. */
  wasOthersLock(key: string): boolean;
}

/** Keeps `misnamed`, the keys of which `wasOthersLock` is true, for a key that is locked. */
export function noteLocker(misnamed: Set<string>, key: string, session: string): void {
  const name = key.slice(key.lastIndexOf('/') + 1);
  if (name !== session && isSessionId(name)) misnamed.add(key);
  else misnamed.delete(key);
}

/** What was seen, and what somebody else remembers from before; `null`: nobody. */
export const withRemembered = <T extends Remembered>(seen: T, before: Remembered | null): T =>
  before === null
    ? seen
    : {
        ...seen,
        wasSemaphore: (prefix) => seen.wasSemaphore(prefix) || before.wasSemaphore(prefix),
        wasOthersLock: (key) => seen.wasOthersLock(key) || before.wasOthersLock(key),
      };
