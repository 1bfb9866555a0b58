/** The watch on real servers, with real Curator clients: what they do shows, whatever happens to the line and the leader. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '@/lib/domain/seam/backend';
import type { SourceState } from '@/lib/domain/source-state';
import { createZooKeeperBackend } from '@/lib/providers/zookeeper/backend';
import { createZkClient } from '@/lib/providers/zookeeper/client/client';
import type { ZkSettings } from '@/lib/providers/zookeeper/client/settings';
import { watchZooKeeper } from '@/lib/providers/zookeeper/watch/watch';
import { type Watching, watching } from '@/test/provider/watching';
import { startCurator } from '@/test/support/curator';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import {
  noZooKeeper,
  startTestEnsemble,
  startTestZooKeeper,
  type ZooKeeperServer,
} from '@/test/support/zookeeper';
import { settingsOf, startWriter, type Writer } from './writer';

const absent = await noZooKeeper();
const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function watched(settings: ZkSettings): Promise<Watching & { readonly backend: Backend }> {
  const backend = createZooKeeperBackend({ ...settings, now: Date.now });
  const provider = backend.provider(null);
  const watch = watching(provider);
  closing.push(async () => {
    await watch.stop();
    backend.close();
  });
  await watch.says('live');
  return { ...watch, backend };
}
async function writerOf(settings: ZkSettings): Promise<Writer> {
  const writer = await startWriter(settings);
  closing.push(writer.close);
  return writer;
}

describe.skipIf(absent !== null)('the watch of ZooKeeper', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startTestZooKeeper({ admin: true, system: { 'znode.container.checkIntervalMs': '500' } });
  });

  test('what Curator does shows: a holder, its queue, and an idle lock once its container has vanished', async () => {
    const watch = await watched(settingsOf(server.address, { roots: ['/curator'] }));
    const client = await startCurator(server.address);
    closing.push(client.kill9);
    const [first, second] = [client.thread('first'), client.thread('second')];
    const lock = { kind: 'mutex', path: '/curator/jobs' } as const;
    await first.acquire(lock);
    const next = second.acquire(lock);
    const shown = await until(
      () => watch.lock('/curator/jobs')?.waiters?.length === 1 && watch.lock('/curator/jobs'),
      {
        what: 'the holder and its queue',
      },
    );
    expect(`/curator/jobs/${shown.holder?.sessionId}`).toBe((await first.held(lock)).node);
    await first.release(lock);
    await next;
    await until(() => watch.lock('/curator/jobs')?.waiters?.length === 0, { what: 'the next holder' });
    expect(watch.lock('/curator/jobs')).toMatchObject({ state: 'held', layout: 'curator-mutex' });
    await second.release(lock);
    const reader = createZkClient({
      settings: settingsOf(server.address),
      now: Date.now,
      random: Math.random,
    });
    closing.push(reader.close);
    await until(async () => (await reader.read('/curator/jobs', AbortSignal.timeout(5_000))) === null, {
      what: 'the container to be reaped',
      timeoutMs: 30_000,
    });
    await until(() => watch.lock('/curator/jobs')?.state === 'free', { what: 'the idle lock' });
    expect(watch.lock('/curator/jobs')).toMatchObject({ holder: null, waiters: [] });
    expect(watch.sources.at(-1)).toMatchObject({ state: 'live', problem: null });
  });

  test('what changed while the line was away shows after it is back, and is not said to have been watched', async () => {
    const proxy = await startFaultProxy(server.address);
    closing.push(proxy.close);
    const writer = await writerOf(settingsOf(server.address));
    const gone = await writer.enter('/away/a', 'lock');
    const watch = await watched(settingsOf(proxy.address, { roots: ['/away'] }));
    await until(() => watch.lock('/away/a')?.state === 'held', { what: 'the first holder' });
    proxy.refuse();
    await watch.says('stale', 'down');
    await writer.delete(gone);
    await writer.enter('/away/b', 'lock');
    expect(watch.lock('/away/a')?.state).toBe('held');
    proxy.accept();
    await watch.says('live');
    expect(watch.lock('/away/a')?.state).not.toBe('held');
    expect(watch.lock('/away/b')).toMatchObject({ state: 'held', holder: { since: { basis: 'at-least' } } });
  });

  test('a line that stalls is told within seconds, and nothing is read anew when it goes on', async () => {
    const proxy = await startFaultProxy(server.address);
    closing.push(proxy.close);
    const watch = await watched(settingsOf(proxy.address, { sessionMs: 30_000 }));
    proxy.stall();
    const stalled = await watch.says('stale');
    expect(stalled).toMatchObject({ problem: { why: { code: 'no-answer' } } });
    expect(Date.now() - (stalled.lastContactMs ?? 0)).toBeLessThan(20_000);
    const said = watch.sources.length;
    proxy.resume();
    await watch.says('live');
    expect(watch.sources.slice(said).map(({ state }) => state)).toEqual(['live']);
  });

  test('thousands of nodes are read and followed, and more than the budget is a problem instead of a heap', async () => {
    const writer = await writerOf(settingsOf(server.address));
    const locks = 2_000;
    await Promise.all(Array.from({ length: locks }, (_, i) => writer.enter(`/many/${i % 500}`, 'lock')));
    const watch = await watched(settingsOf(server.address, { roots: ['/many'] }));
    await until(() => watch.world().locks.length === 500, { what: 'every lock' });
    const worlds = watch.worlds.length;
    await Promise.all(Array.from({ length: 500 }, (_, i) => writer.enter(`/many/${i}`, 'lock')));
    await until(() => watch.world().locks.every(({ waiters }) => waiters?.length === 4), {
      what: 'the last waiters',
    });
    // Coalesced: nowhere near one for each change.
    expect(watch.worlds.length - worlds).toBeLessThan(250);

    const settings = settingsOf(server.address, { roots: ['/many'] });
    const line = createZkClient({ settings, now: Date.now, random: Math.random });
    const stop = new AbortController();
    const problems: unknown[] = [];
    const ended = watchZooKeeper(
      {
        settings,
        line,
        now: Date.now,
        facts: {
          current: () => ({
            counts: new Map(),
            sessions: null,
            sessionsWhole: false,
            watchers: null,
          }),
          follow: async () => {},
        },
        recognise: () => ({ world: { locks: [], semaphores: [], sessions: [] }, againMs: null }),
        bounds: { nodesMax: 100, bytesMax: 1_000_000 },
      },
      { world: () => {}, source: ({ problem }) => problems.push(problem?.why?.code) },
      stop.signal,
    );
    await until(() => problems.includes('zookeeper-too-much'), { what: 'the budget to be told' });
    stop.abort();
    await ended;
    await line.close();
  });

  test('after an answer that is too large the tree is read again in a minute, not with the next connection', async () => {
    const writer = await writerOf(settingsOf(server.address));
    await writer.create('/large', { data: Buffer.alloc(10_000) });
    const settings = settingsOf(server.address, { roots: ['/large'], answerBytesMax: 5_000 });
    const line = createZkClient({ settings, now: Date.now, random: Math.random });
    let reads = 0;
    let aheadMs = 0;
    let wake = () => {};
    const sources: SourceState[] = [];
    const stop = new AbortController();
    let ups = 0;
    const deaf = line.listen({
      link: ({ state }) => {
        if (state === 'up') ups += 1;
      },
      change: () => {},
    });
    const ended = watchZooKeeper(
      {
        settings,
        line: {
          ...line,
          readAll: (...given) => {
            reads += 1;
            return line.readAll(...given);
          },
        },
        now: () => Date.now() + aheadMs,
        facts: {
          current: () => ({ counts: new Map(), sessions: null, sessionsWhole: false, watchers: null }),
          follow: async (onChange) => {
            wake = onChange;
          },
        },
        recognise: () => ({ world: { locks: [], semaphores: [], sessions: [] }, againMs: null }),
      },
      { world: () => {}, source: (source) => sources.push(source) },
      stop.signal,
    );
    closing.push(
      line.close,
      () => ended,
      deaf,
      () => stop.abort(),
    );
    await until(() => ups === 2, { what: 'the next connection' });
    // A read would begin with these round trips, and end the connection.
    for (let i = 0; i < 20; i += 1) await line.read('/none', AbortSignal.timeout(5_000));
    expect([reads, ups]).toEqual([1, 2]);
    expect(sources.at(-1)).toMatchObject({ state: 'stale', problem: { why: { code: 'answer-too-large' } } });
    aheadMs = 61_000;
    wake();
    await until(() => reads === 2, { what: 'the next read' });
  });

  test("nodes of servers are left out, and an application's folder of the same name below its chroot is not", async () => {
    const writer = await writerOf(settingsOf(server.address));
    await writer.enter('/app/zookeeper/first', 'lock');
    const watch = await watched(settingsOf(server.address, { chroot: '/app' }));
    expect(watch.world().locks.map(({ key }) => key)).toEqual(['/zookeeper/first']);
    await writer.enter('/app/zookeeper/second', 'lock');
    await until(() => watch.lock('/zookeeper/second')?.state === 'held', { what: 'the lock that came' });
    await writer.enter('/zookeeper/third', 'lock');
    await writer.enter('/fourth', 'lock');
    const all = await watched(settingsOf(server.address));
    expect(all.lock('/fourth')?.state).toBe('held');
    expect(all.lock('/zookeeper/third')).toBeUndefined();
  });

  test('a node that may not be read is left out, and the world says that it is a part', async () => {
    const writer = await writerOf(settingsOf(server.address, { digest: Buffer.from('me:hush') }));
    await writer.enter('/partly/open', 'lock');
    await writer.create('/partly/closed', { for: ['auth', ''] });
    const watch = await watched(settingsOf(server.address, { roots: ['/partly'] }));
    expect(watch.world().scope).toBe('part');
    expect(watch.lock('/partly/open')?.state).toBe('held');
    const own = settingsOf(server.address, { roots: ['/partly'], digest: Buffer.from('me:hush') });
    expect((await watched(own)).world().scope).toBe('whole');
  });

  test('a lock below a folder that may not be read is unknown, with a new entry and after a hold was seen', async () => {
    const proxy = await startFaultProxy(server.address);
    closing.push(proxy.close);
    const writer = await writerOf(settingsOf(server.address, { digest: Buffer.from('me:hush') }));
    await writer.create('/ranks');
    await writer.enter('/ranks/closed', 'lock');
    await writer.reserve('/ranks/closed');
    await writer.enter('/ranks/later', 'lock');
    const watch = await watched(settingsOf(proxy.address, { roots: ['/ranks'] }));
    expect(watch.lock('/ranks/closed')).toBeUndefined();
    // Its entry may be read, but nothing lists the one before it.
    await writer.enter('/ranks/closed', 'lock');
    const closed = await until(() => watch.lock('/ranks/closed'), { what: 'the entry that came' });
    expect(closed).toMatchObject({ state: 'unknown', holder: null, waiters: [{ verdict: 'unknown' }] });
    expect(watch.lock('/ranks/later')?.state).toBe('held');
    await writer.reserve('/ranks/later');
    proxy.refuse();
    await watch.says('stale', 'down');
    proxy.accept();
    await watch.says('live');
    expect(watch.lock('/ranks/later')).toMatchObject({ state: 'unknown', holder: null });
  });

  test('where nothing may be read the source is no empty one, but one without rights', async () => {
    const writer = await writerOf(settingsOf(server.address, { digest: Buffer.from('me:hush') }));
    await writer.create('/private', { for: ['auth', ''] });
    const settings = settingsOf(server.address, { roots: ['/private'] });
    const backend = createZooKeeperBackend({ ...settings, now: Date.now });
    const watch = watching(backend.provider(null));
    closing.push(async () => {
      await watch.stop();
      backend.close();
    });
    expect(await watch.says('stale')).toMatchObject({ problem: { why: { code: 'zookeeper-not-known' } } });
    expect(watch.worlds).toEqual([]);
  });

  test('sessions have addresses, time-outs and last words where the administrative page is named', async () => {
    const client = await startCurator(server.address, { sessionMs: 10_000 });
    closing.push(client.kill9);
    await client.thread('one').acquire({ kind: 'mutex', path: '/admin/lock' });
    const watch = await watched(
      settingsOf(server.address, { roots: ['/admin'], admin: [new URL(server.admin ?? '')] }),
    );
    const evidence = () => watch.lock('/admin/lock')?.holder?.evidence ?? [];
    const said = (code: string) => evidence().find((one) => one.code === code)?.detail;
    await until(() => said('zookeeper-connected'), { what: 'the address' });
    expect(said('zookeeper-session')).toBe(await client.session());
    expect(said('zookeeper-connected')).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(said('zookeeper-timeout')).toBe('10s');
  });
});

describe.skipIf(absent !== null)('the watch of a ZooKeeper ensemble', () => {
  test('the leader is killed and the view goes on: everything that clients do meanwhile shows', async () => {
    const ensemble = await startTestEnsemble();
    const watch = await watched(settingsOf(ensemble.addresses, { roots: ['/locks'], sessionMs: 20_000 }));
    const client = await startCurator(ensemble.addresses, { sessionMs: 20_000 });
    closing.push(client.kill9);
    const thread = client.thread('one');
    await thread.acquire({ kind: 'mutex', path: '/locks/before' });
    await until(() => watch.lock('/locks/before')?.state === 'held', { what: 'the first lock' });
    await ensemble.depose();
    await thread.acquire({ kind: 'mutex', path: '/locks/after' });
    await until(() => watch.lock('/locks/after')?.state === 'held', {
      what: 'the next lock',
      timeoutMs: 30_000,
    });
    await watch.says('live');
    expect(watch.lock('/locks/before')?.state).toBe('held');
  }, 240_000);
});
