/** Deleting the record of a semaphore that nobody holds or waits for. */
import type { z } from 'zod/mini';
import { namedHolders, unlistedHolders } from '@/lib/domain/holders';
import { type SemaphoreRef, semaphoreSubject } from '@/lib/domain/subject';
import { describe, form, key, no, yes } from './descriptor';

export const semaphoreDelete = describe({
  schema: form('semaphore.delete', { prefix: key }),
  subjects: (action) => [semaphoreSubject(action)],
  needsReason: true,
  can: (_action, { semaphore }) => {
    if (semaphore === null || semaphore.modifyIndex === null) return no('semaphore-not-in-view', {});
    // Deleting the record while a Go client holds or waits makes every one of them fail (api/semaphore.go).
    if (semaphore.holders.length > 0)
      return no('holders-recorded', { recorded: semaphore.holders.length + unlistedHolders(semaphore) });
    if (semaphore.waiters.length > 0) return no('sessions-wait', { waiters: semaphore.waiters.length });
    // The holders could not be read, so there may be some.
    if (namedHolders(semaphore) === null) return no('not-understood', {});
    return yes;
  },
  hits: null,
  follows: 'next-holder',
});

export const deleteSemaphore = ({
  source,
  prefix,
}: SemaphoreRef): z.infer<typeof semaphoreDelete.schema> => ({
  type: 'semaphore.delete',
  source,
  prefix,
});
