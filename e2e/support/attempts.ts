/** Writes that must never get through: one valid request for each, and Consul's content, to compare. */
import { json, type Raw, type RawAnswer } from '@/e2e/support/raw';
import type { Action, ActionType } from '@/lib/domain/actions/action';
import type { TestConsul } from '@/test/support/consul';

const session = '57518c34-2110-c115-45e3-45c14e9d68ee';

/** One of each; a new type of action does not compile until it is tried here. */
const oneOfEach: { readonly [T in ActionType]: Extract<Action, { type: T }> } = {
  'lock.release': { type: 'lock.release', source: 'consul', key: 'safe/lock', how: 'hand-over' },
  'lock.remove-waiter': {
    type: 'lock.remove-waiter',
    source: 'consul',
    key: 'safe/lock',
    sessionId: session,
  },
  'lock.ask': { type: 'lock.ask', source: 'consul', key: 'safe/lock', sessionId: session },
  'lock.wake': { type: 'lock.wake', source: 'consul', key: 'safe/lock' },
  'semaphore.remove-waiter': {
    type: 'semaphore.remove-waiter',
    source: 'consul',
    prefix: 'safe/pool',
    sessionId: session,
  },
  'semaphore.return-permits': {
    type: 'semaphore.return-permits',
    source: 'consul',
    prefix: 'safe/pool',
    permits: 1,
  },
  'lock.delete': { type: 'lock.delete', source: 'consul', key: 'safe/idle' },
  'semaphore.evict': {
    type: 'semaphore.evict',
    source: 'consul',
    prefix: 'safe/pool',
    sessionId: session,
    how: 'slot-only',
  },
  'semaphore.prune': { type: 'semaphore.prune', source: 'consul', prefixes: ['safe/pool'] },
  'semaphore.resize': { type: 'semaphore.resize', source: 'consul', prefix: 'safe/pool', limit: 9 },
  'semaphore.delete': { type: 'semaphore.delete', source: 'consul', prefix: 'safe/pool' },
  'session.destroy': { type: 'session.destroy', source: 'consul', sessionId: session },
};
const nothingSeen = { entries: [], sessions: [] };

const scope = { view: 'board', prefix: 'safe/', values: false, frames: ['*'] };

/** Everything that writes to Consul or to our own store, as a sound request. */
export const writes: readonly (Raw & { readonly name: string })[] = [
  ...Object.values(oneOfEach).flatMap((action) =>
    (['plan', 'apply'] as const).map((mode) => ({
      name: `${mode} ${action.type}`,
      path: '/api/v1/actions',
      method: 'POST',
      ...json({ mode, action, reason: 'safety', ...(mode === 'apply' ? { expect: nothingSeen } : {}) }),
    })),
  ),
  { name: 'probe', path: '/api/v1/probe', method: 'POST', ...json({ key: 'safe/lock' }) },
  { name: 'share', path: '/api/v1/grants', method: 'POST', ...json({ kind: 'link', scope }) },
  {
    name: 'pause a share',
    path: '/api/v1/grants',
    method: 'PATCH',
    ...json({ id: session, change: 'pause' }),
  },
];

/** Routes open to any caller from anywhere: they reveal no person, or are made for other sites. */
export const openToAll = (path: string) =>
  ['/healthz', '/readyz', '/metrics'].includes(path) || path.startsWith('/embed/');

/** Consul's content, read past everything of ours. */
export async function stateOf({ address, token }: TestConsul): Promise<string> {
  const read = async (path: string) => {
    const headers = new Headers(token === null ? {} : { 'x-consul-token': token });
    const response = await fetch(`http://${address}/v1/${path}`, { headers });
    return { index: response.headers.get('x-consul-index'), body: await response.text() };
  };
  return JSON.stringify([await read('kv/?recurse=true&consistent'), await read('session/list?consistent')]);
}

export async function furnishSafe(consul: TestConsul): Promise<void> {
  const client = consul.client();
  const id = await client.createSession({
    name: 'safe-holder',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: 'safe/lock', value: Buffer.from('x'), flags: '0', session: id });
  await client.cas({ key: 'safe/idle', value: Buffer.from('x'), flags: '3304740253564472344', index: '0' });
  await client.cas({
    key: 'safe/pool/.lock',
    value: Buffer.from(`{"Limit":2,"Holders":{"${session}":true}}`),
    flags: '16210313421097356768',
    index: '0',
  });
}

/** An answer as its status and the codes of a problem. */
export const own = ({ status, code }: RawAnswer) => `${status} ${code}`;
