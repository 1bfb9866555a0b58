/** What only the watch has learned: a lease that nobody renews, who sleeps beside readers, and what else the same thread holds. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { isProblem } from '@/lib/domain/problem';
import { findingsOf } from '@/lib/domain/rules/table';
import type { Provider } from '@/lib/domain/seam/provider';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { type Watching, watching } from '@/test/provider/watching';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { release, wake } from './stage';

const absent = (await noRedis()) ?? (await noRedisson());
const redis = absent === null ? await startTestRedis() : null;
const client = redis === null ? null : await startRedisson(redis, { watchdogMs: 60_000 });
afterAll(() => client?.close());

const signal = () => AbortSignal.timeout(20_000);

describe.skipIf(absent !== null)('what was watched', () => {
  let provider: Provider;
  let watch: Watching;
  beforeEach(async () => {
    const [source] = readSources({ SIGNALBOX_SOURCES: `redis://${redis?.address}?id=jobs` });
    if (source === undefined) throw new Error('no source');
    provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
    watch = watching(provider);
    await watch.says('live');
  });
  afterEach(async () => {
    await watch.stop();
    provider.close();
  });
  const plan = async (action: Action) => {
    const planned = await provider.plan(action, signal());
    if (isProblem(planned)) throw new Error(JSON.stringify(planned));
    return planned;
  };

  test('a fixed lease that was watched from its beginning must end at the same moment: a new hold of the same thread is refused', async () => {
    if (redis === null || client === null) throw new Error('There is no rig.');
    const thread = client.thread('fixed');
    const lock = { kind: 'lock', name: 'w:fixed' } as const;
    const party = await thread.party();
    const take = () => thread.acquire({ ...lock, leaseMs: 20_000 });
    await take();
    await until(
      () => watch.lock(lock.name)?.holder?.evidence.some(({ code }) => code === 'redis-lease-fixed'),
      { what: 'the lease to be known as fixed' },
    );
    const first = await plan(release(lock.name));
    await thread.release(lock);
    // Within what a renewal could have left of the first.
    await thread.acquire({ ...lock, leaseMs: 12_000 });
    const refused = await provider.apply(release(lock.name), first.expect, signal());
    expect(refused).toMatchObject({ code: 'stale', difference: [{ code: 'redis-lease-changed' }] });
    expect(await redis.call('HGETALL', lock.name)).toEqual([party, '1']);
    const again = await plan(release(lock.name));
    expect(await provider.apply(release(lock.name), again.expect, signal())).toMatchObject({ done: true });
    expect(await redis.call('EXISTS', lock.name)).toBe(0);
  });

  /** A writer that also reads, and one more who waits. */
  const waitedFor = async (name: string, kind: 'read' | 'write') => {
    if (redis === null || client === null) throw new Error('There is no rig.');
    const writer = client.thread(`writes ${name}`);
    await writer.acquire({ kind: 'write', name });
    await writer.acquire({ kind: 'read', name });
    const got = client.thread(`waits ${name}`).acquire({ kind, name });
    await until(() => watch.lock(name)?.waitingClients === 1 && watch.lock(name)?.readers?.length === 1, {
      what: 'one who waits for a writer that reads',
    });
    return { writer, got };
  };

  test('a reader that sleeps beside a writer that reads on is found, and woken by what the finding recommends', async () => {
    const name = 'w:asleep';
    const { writer, got } = await waitedFor(name, 'read');
    let awake = false;
    void got.then(() => {
      awake = true;
    });
    await writer.release({ kind: 'write', name });
    await until(() => watch.lock(name)?.unwoken, { what: 'the sleeper' });
    expect(watch.lock(name)).toMatchObject({
      holder: { mode: 'read', sessionId: await writer.party() },
      unwoken: { clients: 1, evidence: [{ code: 'redis-writer-reads-on' }, { code: 'redis-sleep-ends' }] },
    });
    const [finding] = findingsOf(watch.world());
    expect(finding).toMatchObject({ code: 'sleeping-readers', subject: { key: name }, mend: wake(name) });
    expect(awake).toBe(false);
    const planned = await plan(wake(name));
    expect(await provider.apply(wake(name), planned.expect, signal())).toMatchObject({ done: true });
    expect(await got).toBe(true);
    await until(() => watch.lock(name)?.readers?.length === 1, { what: 'two readers' });
    expect(watch.lock(name)?.unwoken).toBeUndefined();
    await writer.release({ kind: 'read', name });
    await client?.thread(`waits ${name}`).release({ kind: 'read', name });
  });

  test('one that waits to write is not said to sleep where Signalbox itself removed the writer and sent the message', async () => {
    const name = 'w:writes';
    const { writer, got } = await waitedFor(name, 'write');
    const id = `${await writer.party()}:write`;
    const planned = await plan(release(name, id));
    await provider.apply(release(name, id), planned.expect, signal());
    await until(() => watch.lock(name)?.holder?.mode === 'read', { what: 'a reader alone' });
    // Another row says that who listens was asked again since.
    await client?.thread('beside').acquire({ kind: 'write', name: 'w:beside' });
    const beside = client?.thread('beside too').acquire({ kind: 'read', name: 'w:beside' });
    await until(() => watch.lock('w:beside')?.waitingClients === 1, { what: 'a look' });
    expect(watch.lock(name)).toMatchObject({ waitingClients: 1 });
    expect(
      watch.worlds.flatMap(({ locks }) => locks).filter((one) => one.key === name && one.unwoken),
    ).toEqual([]);
    await writer.release({ kind: 'read', name });
    expect(await got).toBe(true);
    await client?.thread(`waits ${name}`).release({ kind: 'write', name });
    await client?.thread('beside').release({ kind: 'write', name: 'w:beside' });
    await beside;
    await client?.thread('beside too').release({ kind: 'read', name: 'w:beside' });
  });

  test('the plan for one part of a MultiLock names the others, which its unlock leaves behind, and which are found then', async () => {
    if (redis === null || client === null) throw new Error('There is no rig.');
    const thread = client.thread('multi');
    const names = ['w:m1', 'w:m2', 'w:m3'];
    const lock = { kind: 'multi', names } as const;
    await thread.acquire(lock);
    for (const name of names)
      await until(() => watch.lock(name)?.holder, { what: `${name} to be seen held` });
    const planned = await plan(release('w:m1'));
    expect(planned.plan.warnings).toContainEqual({
      code: 'redis-multi',
      facts: { others: 2, names: 'w:m2\nw:m3' },
    });
    const outcome = await provider.apply(release('w:m1'), planned.expect, signal());
    expect(outcome).toMatchObject({ after: { kind: 'lock', key: 'w:m1', state: 'free', holder: null } });
    await expect(thread.release(lock)).rejects.toMatchObject({
      thrown: expect.stringContaining('IllegalMonitorState'),
    });
    // Those behind it stay locked by a thread that thinks that it is done, and are found.
    const leftOf = () =>
      findingsOf(watch.world()).map(({ code, subject, grounds }) => ({
        code,
        subject,
        mend: grounds[0]?.mend,
      }));
    const left = (key: string) => ({
      code: 'same-thread-removed',
      subject: { source: 'jobs', kind: 'lock', key },
      mend: { type: 'lock.release', source: 'jobs', key, how: 'hand-over' },
    });
    await until(() => leftOf().length > 1, { what: 'both to be found' });
    expect(leftOf()).toEqual([left('w:m2'), left('w:m3')]);
    expect(watch.lock('w:m2')?.holder?.evidence).toContainEqual(
      expect.objectContaining({ code: 'redis-thread-lost', detail: 'w:m1' }),
    );
    for (const name of names.slice(1)) {
      expect(await redis.call('EXISTS', name)).toBe(1);
      const last = await plan(release(name));
      expect(await provider.apply(release(name), last.expect, signal())).toMatchObject({ done: true });
    }
    await until(() => leftOf().length === 0, { what: 'nothing more to be found' });
  });
});
