/**
 * When a recorded holder by which no key under the prefix is locked is a ghost.
 *
 * Under Go's flags it always is: those clients judge by what is locked, whatever the name is, and prune such a record
 * themselves (`pruneDeadHolders` in HashiCorp's api/semaphore.go). Who writes other flags has rules of its own, and may
 * keep a holder in the coordination entry alone. What is known of every program is that a session which has ended is at
 * work nowhere; so there a record is a ghost only when it names a session of which that is known. Not to be listed is not
 * enough: the list may be older than the record, and what a token may not read is left out of it.
 */
import { isSessionId, semaphoreFlags } from './coordination';

/** `no-session`: it is the name of none. `may-live`: its session is there, or might be for all that can be read. */
export type Doubt = 'no-session' | 'may-live';

/** What keeps the record of `sessionId` in an entry with these flags from being a ghost; `null`: nothing. */
export function ghostDoubt(
  flags: string | undefined,
  sessionId: string,
  mayLive: (sessionId: string) => boolean,
): Doubt | null {
  if (flags === semaphoreFlags) return null;
  if (!isSessionId(sessionId)) return 'no-session';
  return mayLive(sessionId) ? 'may-live' : null;
}
