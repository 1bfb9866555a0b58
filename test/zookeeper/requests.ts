/** Requests as the screens send them. */
import type { Action } from '@/lib/domain/actions/action';
import { source } from './stage';

export const release = (key: string, holder?: string): Action => ({
  type: 'lock.release',
  source,
  key,
  how: 'hand-over',
  ...(holder === undefined ? {} : { holder }),
});
export const drop = (key: string, sessionId: string): Action => ({
  type: 'lock.remove-waiter',
  source,
  key,
  sessionId,
});
export const ask = (key: string, sessionId: string): Action => ({ type: 'lock.ask', source, key, sessionId });
export const evict = (prefix: string, sessionId: string): Action => ({
  type: 'semaphore.evict',
  source,
  prefix,
  sessionId,
  how: 'slot-only',
});
export const dropFrom = (prefix: string, sessionId: string): Action => ({
  type: 'semaphore.remove-waiter',
  source,
  prefix,
  sessionId,
});
export const resize = (prefix: string, limit: number): Action => ({
  type: 'semaphore.resize',
  source,
  prefix,
  limit,
});
