/** Actions on locks that real Curator clients hold, each also in a race with those clients. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import { applyOn, planOn } from '@/lib/providers/zookeeper/actions/actions';
import type { Acting } from '@/lib/providers/zookeeper/actions/context';
import { createZkClient } from '@/lib/providers/zookeeper/client/client';
import { type CuratorLock, startCurator, type TestCurator } from '@/test/support/curator';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper, type ZooKeeperServer } from '@/test/support/zookeeper';
import { ask, byPath, drop, release, type Stage, shows, startStage } from './stage';
import { settingsOf, startWriter, type Writer } from './writer';

const absent = await noZooKeeper();
const signal = () => AbortSignal.timeout(20_000);

describe.skipIf(absent !== null)('actions on Curator’s locks', () => {
  let server: ZooKeeperServer;
  let one: TestCurator;
  let two: TestCurator;
  let writer: Writer;
  let stage: Stage;
  beforeAll(async () => {
    server = await startTestZooKeeper({ admin: true });
    [one, two] = await Promise.all([startCurator(server.address), startCurator(server.address)]);
    writer = await startWriter(settingsOf(server.address));
    stage = await startStage(server.address);
  });
  afterAll(async () => {
    await stage?.close();
    await writer?.close();
  });
  const holderOf = (key: string) => stage.lock(key)?.holder?.sessionId ?? '';
  const waiterOf = (key: string, place = 0) => stage.lock(key)?.waiters?.[place]?.sessionId ?? '';
  const waits = (key: string, count: number) =>
    until(() => stage.lock(key)?.waiters?.length === count, { what: `${count} in the queue of ${key}` });

  test('a mutex goes from its holder to the first in the queue, and the old holder does not learn of it', async () => {
    const lock: CuratorLock = { kind: 'mutex', path: '/x/mutex' };
    await one.thread('a').acquire(lock);
    const next = two.thread('b').acquire(lock);
    await waits(lock.path, 1);
    const action = release(lock.path);
    const planned = await stage.plan(action);
    expect(planned.plan.writes).toMatchObject([
      { operation: 'delete', condition: { code: 'zookeeper-same-node' } },
    ]);
    expect(planned.plan.warnings.map(({ code }) => code)).toEqual([
      'holder-notices',
      'next-in-queue',
      'zookeeper-session-stays',
    ]);
    expect(stage.provider.saw(action, planned.expect).sessions).toEqual([holderOf(lock.path)]);
    const outcome = await stage.apply(action, planned);
    expect(outcome).toMatchObject({ done: true, freed: [{ key: lock.path }], warnings: [] });
    expect(await next).toBe(true);
    expect(await one.thread('a').held(lock)).toMatchObject({ acquired: true });
    // The same request again finds its own work done, and not by it.
    expect(await stage.apply(action, planned)).toMatchObject({ code: 'stale', why: { code: 'done-before' } });
    expect(await two.thread('b').held(lock)).toMatchObject({ acquired: true, held: true });
    await one.thread('a').release(lock);
    await two.thread('b').release(lock);
  });

  test('a holder that let go meanwhile is not followed to the next one', async () => {
    const lock: CuratorLock = { kind: 'mutex', path: '/x/race' };
    await one.thread('a').acquire(lock);
    await shows(() => stage.lock(lock.path), { state: 'held' }, 'the holder');
    const before = holderOf(lock.path);
    const planned = await stage.plan(release(lock.path));
    await one.thread('a').release(lock);
    await two.thread('b').acquire(lock);
    const { node } = await two.thread('b').held(lock);
    expect(await stage.apply(release(lock.path), planned)).toMatchObject({
      code: 'stale',
      difference: [{ code: 'holder-changed', facts: { before, now: byPath(node) } }],
    });
    expect(await stage.provider.apply(release('/x/other'), planned.expect, signal())).toMatchObject({
      code: 'invalid',
      why: { code: 'not-of-plan' },
    });
    expect(await two.thread('b').held(lock)).toMatchObject({ held: true });
    await two.thread('b').release(lock);
  });

  test('a dropped latch leader goes on leading beside the next one, as the plan says', async () => {
    const latch: CuratorLock = { kind: 'latch', path: '/x/latch', data: 'first' };
    await one.thread('l').acquire(latch);
    const next = two.thread('l').acquire({ ...latch, data: 'second' });
    await waits(latch.path, 1);
    const planned = await stage.plan(release(latch.path));
    expect(planned.plan.warnings.map(({ code }) => code)).toContain('zookeeper-latch-two-leaders');
    expect(await stage.apply(release(latch.path), planned)).toMatchObject({ done: true });
    await next;
    expect(await one.thread('l').held(latch)).toMatchObject({ acquired: true });
    await one.thread('l').release(latch);
    await two.thread('l').release({ ...latch, data: 'second' });
  });

  test('of several readers exactly the one that is named goes', async () => {
    const read: CuratorLock = { kind: 'read', path: '/x/rw' };
    await one.thread('r1').acquire(read);
    await two.thread('r2').acquire(read);
    await shows(() => stage.lock(read.path), { readers: [{}] }, 'two readers');
    expect(await stage.refusal(release(read.path))).toMatchObject({ why: { code: 'several-hold' } });
    const { node } = await two.thread('r2').held(read);
    const outcome = await stage.act(release(read.path, byPath(node)));
    const first = byPath((await one.thread('r1').held(read)).node);
    expect(outcome.after).toMatchObject({ holder: { sessionId: first } });
    await one.thread('r1').release(read);
    await two.thread('r2').release(read);
  });

  test('no plan or outcome gives a waiting writer the lock before the last reader goes', async () => {
    const path = '/x/rw-queue';
    const [read, write] = [{ kind: 'read', path } as const, { kind: 'write', path } as const];
    await one.thread('r1').acquire(read);
    await two.thread('r2').acquire(read);
    const writes = one.thread('w').acquire(write);
    await shows(() => stage.lock(path), { readers: [{}], waiters: [{ mode: 'write' }] }, 'the writer');
    const behind = waiterOf(path);
    const { node } = await two.thread('r2').held(read);
    const ofSecond = release(path, byPath(node));
    const planned = await stage.plan(ofSecond);
    expect(planned.plan).toMatchObject({
      summary: { code: 'zookeeper-take-one' },
      undo: { code: 'none-slot' },
    });
    expect(planned.plan.warnings).toContainEqual({
      code: 'zookeeper-other-readers-stay',
      facts: { readers: 1 },
    });
    expect(await stage.apply(ofSecond, planned)).toMatchObject({
      done: true,
      freed: [],
      after: { holder: { mode: 'read' }, waiters: [{ sessionId: behind }] },
    });
    const last = await stage.plan(release(path));
    expect(last.plan).toMatchObject({ summary: { code: 'free-lock' }, undo: { code: 'none-hand-over' } });
    expect(last.plan.warnings.map(({ code }) => code)).toContain('next-in-queue');
    expect(await stage.apply(release(path), last)).toMatchObject({
      freed: [{ key: path }],
      after: { holder: { sessionId: behind } },
    });
    await writes;
    await one.thread('w').release(write);
    await one.thread('r1').release(read);
    await two.thread('r2').release(read);
  });

  test('a writer that also reads keeps the other hold, whichever is taken', async () => {
    const path = '/x/rw-both';
    const [read, write] = [{ kind: 'read', path } as const, { kind: 'write', path } as const];
    const both = async () => {
      await one.thread('both').acquire(write);
      await one.thread('both').acquire(read);
      const { holder, readers } = await shows(
        () => stage.lock(path),
        { holder: { mode: 'write' }, readers: [{ mode: 'read' }] },
        'both holds',
      );
      return [holder?.sessionId ?? '', readers?.[0]?.sessionId ?? ''] as const;
    };
    const taken = async (sessionId: string) => {
      const planned = await stage.plan(release(path, sessionId));
      expect(planned.plan.summary.code).toBe('zookeeper-take-one');
      const outcome = await stage.apply(release(path, sessionId), planned);
      expect(outcome).toMatchObject({ done: true, freed: [] });
      return { warnings: planned.plan.warnings.map(({ code }) => code), outcome };
    };
    const [, itsRead] = await both();
    const readGone = await taken(itsRead);
    expect(readGone.warnings).toContain('zookeeper-writer-stays');
    expect(readGone.outcome).toMatchObject({ after: { holder: { mode: 'write' } } });
    await one.thread('both').release(read);
    await one.thread('both').release(write);
    const [itsWrite] = await both();
    const next = two.thread('both').acquire(write);
    await waits(path, 1);
    const writeGone = await taken(itsWrite);
    expect(writeGone.warnings).toContain('zookeeper-readers-stay');
    expect(writeGone.outcome).toMatchObject({
      after: { holder: { mode: 'read' }, waiters: [{ mode: 'write' }] },
    });
    await one.thread('both').release(read);
    await next;
    await one.thread('both').release(write);
    await two.thread('both').release(write);
  });

  test('a waiter is put back to the tail, and one that has got the lock meanwhile is left alone', async () => {
    const lock: CuratorLock = { kind: 'mutex', path: '/x/queue' };
    await one.thread('a').acquire(lock);
    const second = two.thread('b').acquire(lock);
    await waits(lock.path, 1);
    const third = one.thread('c').acquire(lock);
    await waits(lock.path, 2);
    const [b, c] = [waiterOf(lock.path, 0), waiterOf(lock.path, 1)];
    const late = await stage.plan(drop(lock.path, c));
    await stage.act(drop(lock.path, b));
    await waits(lock.path, 1);
    await one.thread('a').release(lock);
    await third;
    // Its client found its place gone, and has come again.
    await until(() => holderOf(lock.path) === c && stage.lock(lock.path)?.waiters?.length === 1, {
      what: 'the third to hold, and one behind it',
    });
    expect(waiterOf(lock.path)).not.toBe(b);
    expect(await stage.apply(drop(lock.path, c), late)).toMatchObject({
      code: 'stale',
      difference: [{ code: 'zookeeper-holds-now' }],
    });
    expect(await one.thread('c').held(lock)).toMatchObject({ held: true });
    await one.thread('c').release(lock);
    await second;
    await two.thread('b').release(lock);
  });

  test('a holder that listens is asked, and one that does not is not written to', async () => {
    const deaf: CuratorLock = { kind: 'mutex', path: '/x/deaf' };
    await one.thread('a').acquire(deaf);
    await shows(() => stage.lock(deaf.path), { state: 'held' }, 'the deaf one');
    expect(await stage.refusal(ask(deaf.path, holderOf(deaf.path)))).toMatchObject({
      why: { code: 'zookeeper-cannot-ask' },
    });
    await one.thread('a').release(deaf);
    const lock: CuratorLock = { kind: 'revocable', path: '/x/ask' };
    await one.thread('r').acquire(lock);
    await shows(() => stage.lock(lock.path), { state: 'held' }, 'the one that listens');
    const action = ask(lock.path, holderOf(lock.path));
    const planned = await stage.plan(action);
    expect(planned.plan.warnings.map(({ code }) => code)).toContain('zookeeper-may-not-listen');
    expect(await stage.apply(action, planned)).toMatchObject({ done: true, freed: [] });
    await one.heard('asked');
    expect(await stage.apply(action, planned)).toMatchObject({
      code: 'stale',
      why: { code: 'done-before' },
      difference: [{ code: 'zookeeper-data-changed' }],
    });
    expect(await stage.refusal(action)).toMatchObject({ why: { code: 'zookeeper-asked-before' } });
    await one.thread('r').release(lock);
  });

  test('with the pages of the servers it is known who listens', async () => {
    const admin = await startStage(server.address, { admin: [new URL(server.admin ?? '')] });
    const lock: CuratorLock = { kind: 'revocable', path: '/x/ask-known' };
    await one.thread('r').acquire(lock);
    await until(
      () => admin.lock(lock.path)?.holder?.evidence.some(({ code }) => code === 'zookeeper-listens'),
      { what: 'the watch of its own node', timeoutMs: 45_000 },
    );
    const action = ask(lock.path, admin.lock(lock.path)?.holder?.sessionId ?? '');
    const { plan } = await admin.plan(action);
    expect(plan.warnings.map(({ code }) => code)).not.toContain('zookeeper-may-not-listen');
    await one.thread('r').release(lock);
    await admin.close();
  }, 180_000);

  test('without the right to delete in the folder nothing is written, and the right is named', async () => {
    const folder = '/x/closed';
    // Read and create for everyone, and nothing else: `auth` would need a user.
    await writer.create(folder, { mode: 'persistent', for: ['world', 'anyone'], rights: 1 | 4 });
    const lock: CuratorLock = { kind: 'mutex', path: folder };
    await one.thread('a').acquire(lock);
    await shows(() => stage.lock(folder), { state: 'held' }, 'the holder');
    const planned = await stage.plan(release(folder));
    expect(await stage.apply(release(folder), planned)).toMatchObject({
      code: 'forbidden',
      why: { code: 'zookeeper-right-missing', facts: { right: 'DELETE', path: folder } },
    });
    expect(await one.thread('a').held(lock)).toMatchObject({ held: true });
  });

  test('a holder that may be at work is named by who takes from it, and nothing outside of the prefixes is acted on', async () => {
    const lock: CuratorLock = { kind: 'mutex', path: '/x/typed' };
    await one.thread('a').acquire(lock);
    await shows(() => stage.lock(lock.path), { state: 'held' }, 'the holder');
    const planned = await stage.plan(release(lock.path));
    expect(planned.plan).toMatchObject({
      friction: 'type-name',
      confirmName: stage.lock(lock.path)?.holder?.label,
    });
    const narrow = await startStage(server.address, { roots: ['/y'] });
    const outside = { code: 'not-found', why: { code: 'outside-view', facts: { name: lock.path } } };
    expect(await narrow.refusal(release(lock.path))).toMatchObject(outside);
    expect(await narrow.apply(release(lock.path), planned)).toMatchObject(outside);
    await narrow.close();
    expect(await one.thread('a').held(lock)).toMatchObject({ held: true });
    await one.thread('a').release(lock);
  });

  test('where the answer is lost the outcome is what is read afterwards, and otherwise unknown', async () => {
    const proxy = await startFaultProxy(server.address);
    const line = createZkClient({ settings: settingsOf(proxy.address), now: Date.now, random: Math.random });
    const facts = {
      counts: new Map<string, string>(),
      sessions: null,
      sessionsWhole: false,
      watchers: null,
    };
    const recogniser = { sighting: () => null, ownedBy: () => 0 };
    const acting: Acting = { client: line, facts: () => facts, now: Date.now, recogniser, roots: ['/'] };
    const lock: CuratorLock = { kind: 'mutex', path: '/x/lost' };
    const apply = async (multi: typeof line.multi) => {
      await one.thread('a').acquire(lock);
      // An empty folder that was never seen held is no lock, and is never shown as free.
      await shows(() => stage.lock(lock.path), { state: 'held' }, 'the holder');
      const planned = await planOn(acting, release(lock.path), signal());
      if (isProblem(planned)) throw new Error(JSON.stringify(planned));
      const done = await applyOn(
        { ...acting, client: { ...line, multi } },
        release(lock.path),
        planned.expect,
        signal(),
      );
      await one.thread('a').release(lock);
      return done;
    };
    const arrived = await apply(async (ops, signal) => {
      proxy.garble(() => Buffer.alloc(0));
      const sent = line.multi(ops, signal);
      await until(() => stage.lock(lock.path)?.state === 'free', { what: 'the write to arrive' });
      proxy.reset();
      proxy.resume();
      return sent;
    });
    expect(arrived).toMatchObject({ done: true, warnings: [{ code: 'answer-lost' }] });
    const swallowed = await apply(async (ops, signal) => {
      proxy.stall();
      const sent = line.multi(ops, signal);
      proxy.reset();
      proxy.resume();
      return sent;
    });
    expect(swallowed).toMatchObject({ code: 'unknown-result', why: { code: 'write-not-seen' } });
    await line.close();
    await proxy.close();
  });
});
