/** What Curator's clients leave in a real ZooKeeper, and what is recognised of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCurator, type TestCurator } from '@/test/support/curator';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper, type ZooKeeperServer } from '@/test/support/zookeeper';
import { byPath, type Stage, shows, startStage } from './stage';

const absent = await noZooKeeper();

describe.skipIf(absent !== null)('recognition of Curator', () => {
  let server: ZooKeeperServer;
  let one: TestCurator;
  let two: TestCurator;
  let stage: Stage;
  beforeAll(async () => {
    server = await startTestZooKeeper({ admin: true });
    [one, two] = await Promise.all([startCurator(server.address), startCurator(server.address)]);
    stage = await startStage(server.address, {
      admin: [new URL(server.admin ?? '')],
      counts: new Map([['/r/shared', '/r/limit']]),
    });
  });
  afterAll(() => stage?.close());

  const nodeOf = async (client: TestCurator, thread: string, lock: Parameters<typeof held>[1]) =>
    held(client.thread(thread), lock);
  const held = async (
    thread: ReturnType<TestCurator['thread']>,
    lock: Parameters<typeof thread.held>[0],
  ): Promise<string> => byPath((await thread.held(lock)).node);

  test('a mutex: its holder, its queue in order, and the session with its address behind each', async () => {
    const lock = { kind: 'mutex', path: '/r/mutex' } as const;
    await one.thread('a').acquire(lock);
    const waits = [two.thread('b').acquire(lock)];
    await shows(() => stage.lock('/r/mutex'), { waiters: [{}] }, 'the first in the queue');
    waits.push(one.thread('c').acquire(lock));
    const seen = await shows(
      () => stage.lock('/r/mutex'),
      {
        layout: 'curator-mutex',
        state: 'held',
        holder: { verdict: 'alive', session: null, sessionId: await nodeOf(one, 'a', lock) },
        waiters: [{ verdict: 'alive' }, { verdict: 'alive' }],
      },
      'the queue',
    );
    expect(seen.holder?.evidence).toContainEqual(
      expect.objectContaining({ code: 'zookeeper-session', detail: one.client }),
    );
    expect(seen.waiters?.map(({ evidence }) => evidence[0]?.detail)).toEqual([two.client, one.client]);
    await until(
      () =>
        stage
          .lock('/r/mutex')
          ?.holder?.evidence.some(({ code, detail }) => code === 'zookeeper-connected' && detail !== null),
      { what: 'the address' },
    );
    expect(stage.lock('/r/mutex')?.holder?.expiry).toMatchObject({ kind: 'bounded', withinMs: 6_000 });
    await one.thread('a').release(lock);
    await shows(
      () => stage.lock('/r/mutex'),
      { holder: { since: { basis: 'observed' } }, waiters: [{}] },
      'the next holder',
    );
    await waits[0];
    await two.thread('b').release(lock);
    await waits[1];
    await one.thread('c').release(lock);
    await shows(
      () => stage.lock('/r/mutex'),
      { state: 'free', holder: null, waiters: [], exists: true },
      'the idle lock',
    );
  });

  test('a selector is called likely by the id that it writes, and a latch by its nodes', async () => {
    const selector = { kind: 'selector', path: '/r/selector', data: 'worker-7' } as const;
    const latch = { kind: 'latch', path: '/r/latch', data: 'node-1' } as const;
    await one.thread('sel').acquire(selector);
    await two.thread('lat').acquire(latch);
    const waits = one.thread('lat').acquire({ ...latch, data: 'node-2' });
    const seen = await shows(
      () => stage.lock('/r/selector'),
      { layout: 'curator-mutex', holder: { label: 'worker-7' } },
      'the selector',
    );
    expect(seen.holder?.evidence.map(({ code }) => code)).toContain('zookeeper-likely-selector');
    await shows(
      () => stage.lock('/r/latch'),
      { layout: 'curator-latch', holder: { label: 'node-1' }, waiters: [{ label: 'node-2' }] },
      'the latch',
    );
    await one.thread('sel').release(selector);
    await two.thread('lat').release(latch);
    await waits;
    await one.thread('lat').release({ ...latch, data: 'node-2' });
  });

  test('a read-write lock: readers together, a writer behind them, and a reader behind that', async () => {
    const [read, write] = [
      { kind: 'read', path: '/r/rw' },
      { kind: 'write', path: '/r/rw' },
    ] as const;
    await one.thread('r1').acquire(read);
    await two.thread('r2').acquire(read);
    const writes = one.thread('w').acquire(write);
    await shows(() => stage.lock('/r/rw'), { waiters: [{ mode: 'write' }] }, 'the writer in the queue');
    const reads = two.thread('r3').acquire(read);
    await shows(
      () => stage.lock('/r/rw'),
      {
        layout: 'curator-read-write',
        holder: { mode: 'read' },
        readers: [{ mode: 'read' }],
        waiters: [{ mode: 'write' }, { mode: 'read' }],
      },
      'two readers, a writer and a reader',
    );
    await one.thread('r1').release(read);
    await two.thread('r2').release(read);
    await writes;
    // The writer reads, too: it holds both, and keeps the read when it lets go of the write.
    await one.thread('w').acquire(read);
    const both = await shows(
      () => stage.lock('/r/rw'),
      { holder: { mode: 'write' }, readers: [{ mode: 'read' }], waiters: [{ mode: 'read' }] },
      'the writer that reads',
    );
    expect(both.readers?.[0]?.evidence.map(({ code }) => code)).toContain('zookeeper-reads-as-writer');
    await one.thread('w').release(write);
    await reads;
    await shows(
      () => stage.lock('/r/rw'),
      { holder: { mode: 'read' }, readers: [{ mode: 'read' }], waiters: [] },
      'both readers',
    );
    await one.thread('w').release(read);
    await two.thread('r3').release(read);
  });

  test('a semaphore with a fixed limit: at least what holds, and that many once somebody waits', async () => {
    const pool = { path: '/r/fixed', limit: 2, data: 'w' };
    const names = [
      ...(await one.thread('s1').semaphore(pool).acquire()),
      ...(await two.thread('s2').semaphore(pool).acquire()),
    ];
    await shows(
      () => stage.semaphore('/r/fixed'),
      { layout: 'curator-semaphore', limit: 2, limitBasis: 'at-least', recorded: 2, waiters: [] },
      'both holders',
    );
    const third = two.thread('s3').semaphore(pool).acquire();
    await shows(() => stage.semaphore('/r/fixed'), { waiters: [{}] }, 'the pending lease');
    const fourth = one.thread('s4').semaphore(pool).acquire();
    const seen = await shows(
      () => stage.semaphore('/r/fixed'),
      {
        limit: 2,
        limitBasis: 'inferred',
        recorded: 2,
        effective: 2,
        holders: names.map((sessionId) => ({ sessionId, label: 'w' })),
        waiters: [{ verdict: 'alive' }, { verdict: 'alive' }],
      },
      'the limit that follows',
    );
    expect(seen.waiters[0]?.evidence.map(({ code }) => code)).toContain('zookeeper-lease-pending');
    expect(stage.lock('/r/fixed/locks')).toBeUndefined();
    expect(stage.lock('/r/fixed/leases')).toBeUndefined();
    await one
      .thread('s1')
      .semaphore(pool)
      .release(names[0] ?? '');
    const [granted = ''] = await third;
    await shows(
      () => stage.semaphore('/r/fixed'),
      { recorded: 2, holders: [{}, { sessionId: granted }], waiters: [{}] },
      'the next holder',
    );
    await two
      .thread('s2')
      .semaphore(pool)
      .release(names[1] ?? '');
    await two.thread('s3').semaphore(pool).release(granted);
    await one
      .thread('s4')
      .semaphore(pool)
      .release(...(await fourth));
    await shows(() => stage.semaphore('/r/fixed'), { holders: [], waiters: [] }, 'the idle semaphore');
  });

  test('a semaphore whose limit is a shared count has that limit, and follows it', async () => {
    await one.thread('n').count('/r/limit').set(1);
    const pool = { path: '/r/shared', count: '/r/limit' };
    const [name = ''] = await one.thread('n').semaphore(pool).acquire();
    const waits = two.thread('n').semaphore(pool).acquire();
    const seen = await shows(
      () => stage.semaphore('/r/shared'),
      { layout: 'curator-semaphore-shared', limit: 1, recorded: 1, waiters: [{}] },
      'the limit',
    );
    expect(seen.limitBasis).toBeUndefined();
    await one.thread('n').count('/r/limit').set(2);
    const [second = ''] = await waits;
    await shows(() => stage.semaphore('/r/shared'), { limit: 2, recorded: 2, waiters: [] }, 'two holders');
    await one.thread('n').semaphore(pool).release(name);
    await two.thread('n').semaphore(pool).release(second);
  });

  test('a client that is stopped is overdue, and gone with its session', async () => {
    const dying = await startCurator(server.address, { sessionMs: 20_000 });
    const lock = { kind: 'mutex', path: '/r/dying' } as const;
    await dying.thread('a').acquire(lock);
    await until(
      () => stage.lock('/r/dying')?.holder?.evidence.some(({ code }) => code === 'zookeeper-connected'),
      { what: 'its address', timeoutMs: 45_000 },
    );
    await dying.kill9();
    await shows(
      () => stage.lock('/r/dying'),
      { holder: { verdict: 'overdue', expiry: { kind: 'observed', withinMs: 30_000 } } },
      'the silent session',
    );
    await until(() => stage.lock('/r/dying')?.state === 'free', {
      what: 'the end of its session',
      timeoutMs: 60_000,
    });
  }, 240_000);
});
