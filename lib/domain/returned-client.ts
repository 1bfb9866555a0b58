/**
 * Finds a client that lost a lock or a slot and has returned with a new session. Consul knows no clients, so this
 * compares the client's own name: in a record beside the lock, in its value, or in its session's name.
 */
import { type Party, shortId } from './model';

/** True when the label is more than the session's id. */
export const isNamed = ({ label, sessionId }: Pick<Party, 'label' | 'sessionId'>): boolean =>
  label !== shortId(sessionId);

/** True when the client has written the name down itself. */
const isWritten = ({ label, session, value }: Party) =>
  value?.content === label || session?.name.includes(label) !== true;

/** The surroundings of the two parties that are compared. */
interface Around {
  /** Sessions that were there before. A party with one of them waited, and has not returned. */
  readonly sessions: ReadonlySet<string>;
  /** Parties that may share the name. A name that several share identifies none of them. */
  readonly beside: readonly Party[];
}

const isOnServer = ({ evidence }: Party) =>
  evidence.some(({ code }) => code === 'server-node' || code === 'bound-to-server');

/** True when `now` is the client that `before` was. False where unknown. */
export function hasReturned(before: Party, now: Party, { sessions, beside }: Around): boolean {
  if (now.session === null || sessions.has(now.sessionId)) return false;
  if (!isNamed(before) || before.label !== now.label) return false;
  if (beside.some(({ sessionId, label }) => sessionId !== before.sessionId && label === before.label))
    return false;
  if (isWritten(before) && isWritten(now)) return true;
  // The session was made on that server. The client may run anywhere.
  if (isOnServer(before) || isOnServer(now)) return false;
  // Processes on many nodes may share a session name, and differ only by their values.
  const [was, is] = [before.value?.content, now.value?.content];
  return before.session?.node === now.session.node && (was === undefined || is === undefined || was === is);
}
