/** Deleting the key of a lock that nobody holds. */
import type { z } from 'zod/mini';
import { type LockRef, lockSubject } from '@/lib/domain/subject';
import { describe, form, key, no, yes } from './descriptor';

export const lockDelete = describe({
  schema: form('lock.delete', { key }),
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
});

export const deleteLock = ({ source, key }: LockRef): z.infer<typeof lockDelete.schema> => ({
  type: 'lock.delete',
  source,
  key,
});
