/**
 * Whether a client that lost a lock or a slot has returned with a new session. Consul knows sessions and no clients, so this goes
 * by the name that a client gives itself: in a record beside the lock or in its value, or as the name of its session.
 */
import { type Party, shortId } from './model';

/** Whether more is known than the id of its session. */
export const isNamed = ({ label, sessionId }: Pick<Party, 'label' | 'sessionId'>): boolean =>
  label !== shortId(sessionId);

/** The name is not made from that of the session: the client has written it down. */
const isWritten = ({ label, session, value }: Party) =>
  value?.content === label || session?.name.includes(label) !== true;

interface Around {
  /** Ids of the sessions that were there before: one of them has waited for its turn, and has not returned. */
  readonly sessions: ReadonlySet<string>;
  /** Who else held or waited before: a name that several have tells none of them apart. */
  readonly beside: readonly Party[];
}

const isOnServer = ({ evidence }: Party) =>
  evidence.some(({ code }) => code === 'server-node' || code === 'bound-to-server');

/** Whether `now` is the client that `before` was. False where that is not known. */
export function hasReturned(before: Party, now: Party, { sessions, beside }: Around): boolean {
  if (now.session === null || sessions.has(now.sessionId)) return false;
  if (!isNamed(before) || before.label !== now.label) return false;
  if (beside.some(({ sessionId, label }) => sessionId !== before.sessionId && label === before.label))
    return false;
  if (isWritten(before) && isWritten(now)) return true;
  // A Consul server is where its session was made, and not where the client runs: that of another one is no sign of it.
  if (isOnServer(before) || isOnServer(now)) return false;
  // Processes with one name for their sessions may run on many nodes, and write what tells them apart.
  const [was, is] = [before.value?.content, now.value?.content];
  return before.session?.node === now.session.node && (was === undefined || is === undefined || was === is);
}
