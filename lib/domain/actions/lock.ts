/** The actions on a lock. */
import { capabilities } from '@/lib/domain/capabilities';
import { holdersOf } from '@/lib/domain/holders';
import type { Lock } from '@/lib/domain/model';
import { type LockRef, lockSubject } from '@/lib/domain/subject';
import { type DescriptorOf, no, yes } from './descriptor';

/** Releases a lock by ending its holder's session, or by handing the key over. */
export const lockRelease: DescriptorOf<'lock.release'> = {
  subjects: (action) => [lockSubject(action)],
  ways: ['destroy-session', 'hand-over'],
  needsReason: true,
  can: ({ holder }, { lock }) => {
    if (lock === null) return no('lock-not-in-view', {});
    if (lock.state === 'unknown') return no('holder-unknown', {});
    if (lock.state !== 'held' || lock.holder === null) return no('nobody-holds', {});
    if (!capabilities[lock.layout].releases) return no('not-offered-here', {});
    const holders = holdersOf(lock);
    if (holder === undefined)
      return holders.length > 1 ? no('several-hold', { holders: holders.length }) : yes;
    return holders.some(({ sessionId }) => sessionId === holder)
      ? yes
      : no('not-holder', { sessionId: holder });
  },
  writesEntry: ({ how }) => how === 'hand-over',
  hits: 'holder',
  follows: 'next-holder',
};

/**
 * Ends the holder's session where there is one, so that its lock-delay protects the next holder. Otherwise hands the
 * key over.
 */
export const release = (
  { source, key, layout }: Pick<Lock, 'source' | 'key' | 'layout'>,
  how: 'destroy-session' | 'hand-over' = capabilities[layout].holds === 'session'
    ? 'destroy-session'
    : 'hand-over',
  holder?: string,
) => ({ type: 'lock.release', source, key, how, ...(holder === undefined ? {} : { holder }) }) as const;

/** Removes one waiter from a visible queue. A dead head keeps all waiters behind it out. */
export const lockRemoveWaiter: DescriptorOf<'lock.remove-waiter'> = {
  subjects: (action) => [lockSubject(action)],
  needsReason: true,
  can: ({ sessionId }, { lock }) => {
    if (lock === null) return no('lock-not-in-view', {});
    if (!capabilities[lock.layout].removesWaiters) return no('not-offered-here', {});
    const waits = (lock.waiters ?? []).some((one) => one.sessionId === sessionId);
    return waits ? yes : no('not-waiter', { sessionId });
  },
  hits: 'waiter',
  follows: 'next-holder',
};

export const removeLockWaiter = ({ source, key }: LockRef, sessionId: string) =>
  ({ type: 'lock.remove-waiter', source, key, sessionId }) as const;

/** Asks the holder to release. A client that listens does, at its own time. */
export const lockAsk: DescriptorOf<'lock.ask'> = {
  subjects: (action) => [lockSubject(action)],
  needsReason: true,
  can: ({ sessionId }, { lock }) => {
    if (lock === null) return no('lock-not-in-view', {});
    if (!capabilities[lock.layout].asks) return no('not-offered-here', {});
    const holds = holdersOf(lock).some((one) => one.sessionId === sessionId);
    return holds ? yes : no('not-holder', { sessionId });
  },
  hits: 'holder',
  invites: true,
  follows: 'next-holder',
};

export const askHolder = ({ source, key }: LockRef, sessionId: string) =>
  ({ type: 'lock.ask', source, key, sessionId }) as const;

/** Repeats the message for which waiters sleep. It changes nothing that is stored. */
export const lockWake: DescriptorOf<'lock.wake'> = {
  subjects: (action) => [lockSubject(action)],
  needsReason: false,
  can: (_action, { lock }) => {
    if (lock === null) return no('lock-not-in-view', {});
    if (!capabilities[lock.layout].wakes) return no('not-offered-here', {});
    // An exclusive holder lets no waiter in, but readers let another reader in.
    return lock.state === 'held' && lock.holder?.mode !== 'read' ? no('lock-held', {}) : yes;
  },
  hits: null,
  invites: true,
  follows: 'next-holder',
};

export const wakeWaiters = ({ source, key }: LockRef) => ({ type: 'lock.wake', source, key }) as const;

/** Deletes a lock without a holder. */
export const lockDelete: DescriptorOf<'lock.delete'> = {
  subjects: (action) => [lockSubject(action)],
  needsReason: true,
  can: (_action, { lock }) => {
    if (lock === null) return no('lock-not-in-view', {});
    if (!lock.exists) return no('key-gone', {});
    if (lock.state === 'unknown') return no('holder-unknown', {});
    if (lock.state === 'held') return no('lock-held', {});
    return yes;
  },
  hits: null,
  follows: 'next-holder',
};

export const deleteLock = ({ source, key }: LockRef) => ({ type: 'lock.delete', source, key }) as const;
