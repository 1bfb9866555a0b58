/**
 * Decides when a recorded holder that locks no key under the prefix is a ghost.
 *
 * Under Go's flags it always is. Those clients judge by locked keys and prune such a record (`pruneDeadHolders` in
 * HashiCorp's api/semaphore.go). Clients with other flags may keep a holder in the coordination entry alone. There a
 * record is a ghost only when its session is known to have ended. A missing session is no proof, because the list may
 * be older than the record, and omits hidden sessions.
 */
import { isSessionId, semaphoreFlags } from './coordination';

/** `no-session`: not a session's id. `may-live`: its session exists, or may exist. */
export type Doubt = 'no-session' | 'may-live';

/** The reason why the record of `sessionId` in an entry with these flags is no ghost; `null`: none. */
export function ghostDoubt(
  flags: string | undefined,
  sessionId: string,
  mayLive: (sessionId: string) => boolean,
): Doubt | null {
  if (flags === semaphoreFlags) return null;
  if (!isSessionId(sessionId)) return 'no-session';
  return mayLive(sessionId) ? 'may-live' : null;
}
