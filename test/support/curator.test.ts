import { describe, expect, test } from 'vitest';
import { type CuratorLock, startCurator, type TestCurator } from '@/test/support/curator';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper } from '@/test/support/zookeeper';

const absent = await noZooKeeper();
const here = absent === null;
const zookeeper = here ? await startTestZooKeeper({ admin: true }) : null;
const client = zookeeper === null ? null : await startCurator(zookeeper.address);

/** Only where the tests run, which are skipped otherwise. */
function rig(): { zookeeper: NonNullable<typeof zookeeper>; client: TestCurator } {
  if (zookeeper === null || client === null) throw new Error('There is no rig.');
  return { zookeeper, client };
}

/** The paths of a session's nodes, as the server lists them. */
async function nodesOf(session: string): Promise<readonly string[]> {
  const text = await rig().zookeeper.ask('dump');
  const [, list = ''] = new RegExp(`^${session}:\\n((?:\\t.*\\n)*)`, 'm').exec(text) ?? [];
  return list.split('\n').flatMap((line) => (line === '' ? [] : [line.trim()]));
}

describe.skipIf(!here)('Curator', () => {
  test.each<[CuratorLock, RegExp]>([
    [{ kind: 'mutex', path: '/k/mutex' }, /^\/k\/mutex\/_c_[0-9a-f-]{36}-lock-\d{10}$/],
    [{ kind: 'revocable', path: '/k/revocable' }, /^\/k\/revocable\/_c_[0-9a-f-]{36}-lock-\d{10}$/],
    [{ kind: 'semaphore-mutex', path: '/k/sm' }, /^\/k\/sm\/leases\/_c_[0-9a-f-]{36}-lease-\d{10}$/],
    [{ kind: 'read', path: '/k/rw' }, /^\/k\/rw\/_c_[0-9a-f-]{36}-__READ__\d{10}$/],
    [{ kind: 'write', path: '/k/rw' }, /^\/k\/rw\/_c_[0-9a-f-]{36}-__WRIT__\d{10}$/],
    [{ kind: 'multi', paths: ['/k/m1'] }, /^\/k\/m1\/_c_[0-9a-f-]{36}-lock-\d{10}$/],
    [{ kind: 'latch', path: '/k/latch', data: 'one' }, /^\/k\/latch\/_c_[0-9a-f-]{36}-latch-\d{10}$/],
    [{ kind: 'selector', path: '/k/selector' }, /^\/k\/selector\/_c_[0-9a-f-]{36}-lock-\d{10}$/],
  ])('a lock is taken, believed to be held, and released: %j', async (lock, node) => {
    const { client } = rig();
    const thread = client.thread('kinds');
    expect(await thread.acquire(lock)).toBe(true);
    const held = await thread.held(lock);
    expect(held.acquired).toBe(true);
    const nodes = await nodesOf(client.client);
    expect(nodes.filter((path) => node.test(path))).toHaveLength(1);
    if (held.node !== null) expect(nodes).toContain(held.node);
    await thread.release(lock);
    // A latch and a selector delete their nodes in the background.
    await until(async () => (await nodesOf(client.client)).length === 0, { what: 'its node is gone' });
  });

  test('threads wait, give up and say what Java threw', async () => {
    const { client } = rig();
    const lock = { kind: 'mutex', path: '/k/threads' } as const;
    const [first, second] = [client.thread('first'), client.thread('second')];
    await first.acquire(lock);
    expect(await second.acquire({ ...lock, waitMs: 50 })).toBe(false);
    await expect(second.release(lock)).rejects.toMatchObject({
      thrown: 'java.lang.IllegalMonitorStateException',
    });
    const next = second.acquire(lock);
    await first.release(lock);
    expect(await next).toBe(true);
    expect(await second.held(lock)).toMatchObject({ acquired: true, held: true });
    expect(await first.held(lock)).toMatchObject({ held: false });
    await second.release(lock);
  });

  test('a semaphore counts its own limit, or follows a shared count', async () => {
    const { client } = rig();
    const [a, b] = [client.thread('a'), client.thread('b')];
    const fixed = { path: '/k/fixed', limit: 2 };
    const nodes = await a.semaphore(fixed).acquire({ permits: 2 });
    expect(nodes).toHaveLength(2);
    expect(await b.semaphore(fixed).acquire({ waitMs: 50 })).toEqual([]);
    await a.semaphore(fixed).release(...nodes);
    await a.count('/k/limit').set(1);
    const shared = { path: '/k/shared', count: '/k/limit', data: 'worker' };
    const [one = ''] = await a.semaphore(shared).acquire();
    const waits = b.semaphore(shared).acquire();
    await until(async () => (await nodesOf(client.client)).length === 3, {
      what: 'the second is in the queue',
    });
    await a.count('/k/limit').set(2);
    const [two = ''] = await waits;
    await a.semaphore(shared).release(one, two);
    await until(async () => (await nodesOf(client.client)).length === 0, { what: 'no node to be left' });
  });

  test('a stopped client loses its session and hears of it once it runs again; a killed one is gone after its time-out', async () => {
    const { zookeeper } = rig();
    const [stopped, killed] = await Promise.all([
      startCurator(zookeeper.address, { sessionMs: 4_000 }),
      startCurator(zookeeper.address, { sessionMs: 4_000 }),
    ]);
    const latch = { kind: 'latch', path: '/k/elected' } as const;
    await stopped.thread('a').acquire(latch);
    await stopped.heard('leads');
    await killed.thread('a').acquire({ kind: 'mutex', path: '/k/killed' });
    stopped.pause();
    await killed.kill9();
    for (const session of [stopped.client, killed.client])
      await until(async () => (await nodesOf(session)).length === 0, { what: 'the session ends' });
    stopped.resume();
    await stopped.heard('leads no more');
    await until(async () => (await stopped.session()) !== stopped.client, { what: 'a session of its own' });
  });

  test('a revocable mutex says that it is asked for, and nobody else does', async () => {
    const { client } = rig();
    const lock = { kind: 'revocable', path: '/k/asked' } as const;
    const holder = client.thread('holds');
    await holder.acquire(lock);
    const { node } = await holder.held(lock);
    expect(client.events.some(({ event }) => event === 'asked')).toBe(false);
    await client
      .thread('asks')
      .node(node ?? '')
      .revoke();
    expect(await client.heard('asked')).toMatchObject({ path: '/k/asked' });
    await holder.release(lock);
  });

  test('nodes that no recipe makes are made, read, changed and deleted', async () => {
    const thread = rig().client.thread('nodes');
    const made = await thread.node('/k/own/part-').create({ data: 'x', mode: 'PERSISTENT_SEQUENTIAL' });
    expect(made).toBe('/k/own/part-0000000000');
    expect(await thread.node('/k/own').children()).toEqual(['part-0000000000']);
    await thread.node(made).set('y');
    await thread.node(made).delete();
    expect(await thread.node('/k/own').children()).toEqual([]);
    expect(await thread.node('/k/none').children()).toBeNull();
  });
});
