/** What can be done to a lock. */
import { z } from 'zod/mini';
import type { Lock } from '@/lib/domain/model';
import { describe, form, key, no, yes } from './descriptor';

/** By the end of its holder's session, or by handing the key over. */
export const lockRelease = describe({
  schema: form('lock.release', { key, how: z.enum(['destroy-session', 'hand-over']) }),
  subjects: (action) => [{ kind: 'lock', key: action.key }],
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
});

/** With its session, so that its lock-delay protects the next holder, or by handing the key over. */
export const release = (
  { key }: Pick<Lock, 'key'>,
  how: 'destroy-session' | 'hand-over' = 'destroy-session',
) => ({ type: 'lock.release', key, how }) as const;

/** For a lock that nobody holds. */
export const lockDelete = describe({
  schema: form('lock.delete', { key }),
  subjects: (action) => [{ kind: 'lock', key: action.key }],
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
});

export const deleteLock = ({ key }: Pick<Lock, 'key'>) => ({ type: 'lock.delete', key }) as const;
