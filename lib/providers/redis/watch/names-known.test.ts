/** The names of a watch, with readings and looks as they may come. */
import { expect, test } from 'vitest';
import type { Lock } from '@/lib/domain/model';
import { type NameRead, nothingRead } from '@/lib/providers/redis/client/reading';
import type { Look } from './audience';
import { createNamesKnown } from './names-known';
import { createShelf } from './shelf';

const reader = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f:41';

function rig() {
  const shelf = createShelf(1_000_000);
  const names = createNamesKnown({
    settings: {
      ...{ id: 'jobs', title: 'Jobs', topology: { kind: 'cluster' }, database: 0, tls: null },
      endpoints: [{ host: '127.0.0.1', port: 6379 }],
      ...{ user: null, password: null, prefixes: [''], redlock: [], semaphores: [] },
    },
    source: 'jobs',
    shelf,
    isTold: () => true,
  });
  names.reopened();
  return {
    names,
    due: (nowMs: number) => names.due(nowMs, 10).map(({ name }) => name),
    lock: (): Lock | undefined => shelf.world().locks[0],
    take: (of: Partial<NameRead>, atMs: number) =>
      names.take([{ ...bare, serverMs: atMs, atMs, ...of }], { nowMs: atMs, live: true }),
  };
}
const bare = { ...nothingRead, name: 'a', type: 'none', ttlMs: null, cut: false, slackMs: 0 };

const looked = (over: Partial<Look>): Look => ({
  ...{ clients: new Map(), awaited: new Map(), proves: () => true, shared: false, fromMs: 0 },
  ...over,
});

test('a name that cannot be read is not tried at every change either', () => {
  const { names, due } = rig();
  names.heard('a', 1_000);
  expect(due(1_000)).toEqual(['a']);
  names.missed(['a'], 1_000);
  names.heard('a', 1_010);
  expect(due(1_050)).toEqual([]);
  expect(due(1_100)).toEqual(['a']);
});

test('a lock that cannot be read stays, although nobody waits for it any more', () => {
  const { names, lock, take } = rig();
  names.hear(
    looked({ clients: new Map([['redisson_lock__channel:{a}', 1]]), awaited: new Map([['a', 'lock']]) }),
    1,
  );
  take({}, 2);
  expect(lock()).toMatchObject({ state: 'free', waitingClients: 1 });
  names.missed(['a'], 3);
  names.hear(looked({ fromMs: 4 }), 5);
  expect(lock()).toMatchObject({ state: 'unknown', waitingClients: 0 });
  take({}, 1_003);
  expect(lock()).toBeUndefined();
});

test('clients that sleep beside readers are not named once their number is not known', () => {
  const { names, lock, take } = rig();
  const holds = (...fields: string[]) => ({
    ...{ type: 'hash', ttlMs: 30_000 },
    fields: [
      ['mode', fields.length > 1 ? 'write' : 'read'],
      ...fields.map((one) => [one, '1'] as const),
    ] as const,
  });
  take(holds(`${reader}:write`, reader), 1);
  take(holds(reader), 2);
  const clients = new Map([['redisson_rwlock:{a}', 1]]);
  names.hear(looked({ clients, fromMs: 3 }), 3);
  expect(lock()).toMatchObject({ waitingClients: 1, unwoken: { clients: 1 } });
  names.hear(looked({ clients, fromMs: 4, shared: true }), 4);
  expect(lock()).toMatchObject({ state: 'held' });
  expect(lock()).not.toHaveProperty('unwoken');
  names.hear(looked({ clients, fromMs: 5 }), 5);
  expect(lock()).toMatchObject({ waitingClients: 1, unwoken: { clients: 1 } });
});
