/** What can be done to a lock. */
import { capabilities } from '@/lib/domain/capabilities';
import type { Lock } from '@/lib/domain/model';
import { type LockRef, lockSubject } from '@/lib/domain/subject';
import { type DescriptorOf, no, yes } from './descriptor';

/** By the end of its holder's session, or by handing the key over. */
export const lockRelease: DescriptorOf<'lock.release'> = {
  subjects: (action) => [lockSubject(action)],
  ways: ['destroy-session', 'hand-over'],
  needsReason: true,
  can: (_action, { lock }) => {
    if (lock === null) return no('lock-not-in-view', {});
    if (lock.state === 'unknown') return no('holder-unknown', {});
    if (lock.state !== 'held' || lock.holder === null) return no('nobody-holds', {});
    return yes;
  },
  writesEntry: ({ how }) => how === 'hand-over',
  hits: 'holder',
  follows: 'next-holder',
};

/** With its session, where it has one, so that its lock-delay protects the next holder; else by handing the key over. */
export const release = (
  { source, key, layout }: Pick<Lock, 'source' | 'key' | 'layout'>,
  how: 'destroy-session' | 'hand-over' = capabilities[layout].holds === 'session'
    ? 'destroy-session'
    : 'hand-over',
) => ({ type: 'lock.release', source, key, how }) as const;

/** For a lock that nobody holds. */
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
