import { expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { createActor } from './actions';

const id = (n: number) => `0000000${n}-0000-4000-8000-000000000000`;

/** A client in whose Consul session 1 holds the lock `k` on `node-1`, and every right is denied. */
const client = {
  sessions: async () => ({ value: [{ id: id(1), node: 'node-1' }] }),
  session: async () => ({ value: null }),
  get: async (key: string) => ({ value: key === 'k' ? { session: id(1) } : null }),
  authorize: async (asks: readonly unknown[]) => asks.map(() => false),
} as unknown as ConsulClient;

const prune = (...prefixes: string[]): Action => ({ type: 'semaphore.prune', source: 'consul', prefixes });
const evict = (how: 'destroy-session' | 'slot-only', sessionId: string): Action => ({
  type: 'semaphore.evict',
  source: 'consul',
  prefix: 's',
  sessionId,
  how,
});
const onNode = (node: string | null) => ({ code: 'end-session', facts: { node } });
const entry = (key: string) => ({ code: 'write-entry', facts: { key } });
const folder = { code: 'write-folder', facts: { prefix: 's' } };

test.each<[string, Action, readonly unknown[]]>([
  [
    'releasing a lock with its session',
    { type: 'lock.release', source: 'consul', key: 'k', how: 'destroy-session' },
    [onNode('node-1')],
  ],
  [
    'handing a lock over',
    { type: 'lock.release', source: 'consul', key: 'k', how: 'hand-over' },
    [entry('k')],
  ],
  ['deleting a lock', { type: 'lock.delete', source: 'consul', key: 'k' }, [entry('k')]],
  ['ending a session', { type: 'session.destroy', source: 'consul', sessionId: id(1) }, [onNode('node-1')]],
  [
    'ending a session that is not seen',
    { type: 'session.destroy', source: 'consul', sessionId: id(2) },
    [onNode(null)],
  ],
  ['evicting a holder with its session', evict('destroy-session', id(1)), [onNode('node-1'), folder]],
  ['evicting a holder that is not seen', evict('destroy-session', id(2)), [onNode(null), folder]],
  ['evicting from the slot alone', evict('slot-only', id(1)), [folder]],
  ['pruning one semaphore', prune('s'), [entry('s/.lock')]],
  ['pruning several', prune('s', 't'), [{ code: 'write-semaphores', facts: { count: 2 } }]],
  ['resizing', { type: 'semaphore.resize', source: 'consul', prefix: 's', limit: 2 }, [entry('s/.lock')]],
  ['deleting a semaphore', { type: 'semaphore.delete', source: 'consul', prefix: 's' }, [folder]],
])('%s names the rules that it needs', async (_what, action, needs) => {
  const [answer] = await createActor({ client, now: Date.now }).rights([action], AbortSignal.timeout(1000));
  expect(answer?.needs).toEqual(needs);
});
