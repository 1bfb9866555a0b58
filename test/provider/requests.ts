/** Requests as the screens send them, to one source. */
import type { Action } from '@/lib/domain/actions/action';

export const requestsOf = (source: string) => ({
  release: (key: string, holder?: string): Action => ({
    type: 'lock.release',
    source,
    key,
    how: 'hand-over',
    ...(holder === undefined ? {} : { holder }),
  }),
  removeWaiter: (key: string, sessionId: string): Action => ({
    type: 'lock.remove-waiter',
    source,
    key,
    sessionId,
  }),
  ask: (key: string, sessionId: string): Action => ({ type: 'lock.ask', source, key, sessionId }),
  wake: (key: string): Action => ({ type: 'lock.wake', source, key }),
  evict: (prefix: string, sessionId: string): Action => ({
    type: 'semaphore.evict',
    source,
    prefix,
    sessionId,
    how: 'slot-only',
  }),
  dropFrom: (prefix: string, sessionId: string): Action => ({
    type: 'semaphore.remove-waiter',
    source,
    prefix,
    sessionId,
  }),
  prune: (...prefixes: string[]): Action => ({ type: 'semaphore.prune', source, prefixes }),
  resize: (prefix: string, limit: number): Action => ({ type: 'semaphore.resize', source, prefix, limit }),
  returnPermits: (prefix: string, permits: number): Action => ({
    type: 'semaphore.return-permits',
    source,
    prefix,
    permits,
  }),
});
