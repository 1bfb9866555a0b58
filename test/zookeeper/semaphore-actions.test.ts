/** Actions on semaphores that real Curator clients hold, each also in a race with those clients. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pendingMinMs } from '@/lib/providers/zookeeper/recognise/leases';
import { startCurator, type TestCurator } from '@/test/support/curator';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper } from '@/test/support/zookeeper';
import { dropFrom, evict, release, resize, type Stage, shows, startStage } from './stage';
import { settingsOf, startWriter, type Writer } from './writer';

const absent = await noZooKeeper();

const counts = new Map([
  ['/x/shared', '/x/limit'],
  ['/x/stuck-shared', '/x/stuck-limit'],
  ['/x/odd', '/x/odd-limit'],
]);

describe.skipIf(absent !== null)('actions on Curator’s semaphores', () => {
  let one: TestCurator;
  let two: TestCurator;
  let writer: Writer;
  let stage: Stage;
  beforeAll(async () => {
    const server = await startTestZooKeeper();
    [one, two] = await Promise.all([startCurator(server.address), startCurator(server.address)]);
    writer = await startWriter(settingsOf(server.address));
    stage = await startStage(server.address, { counts });
  });
  afterAll(async () => {
    await stage?.close();
    await writer?.close();
  });
  /** Its client has let go of its place in the queue, which would be counted there. */
  const poolHolds = (prefix: string, sessionId: string) =>
    shows(() => stage.semaphore(prefix), { holders: [{ sessionId }], waiters: [] }, 'the holder');
  const poolWaits = (prefix: string, count: number) =>
    until(() => stage.semaphore(prefix)?.waiters.length === count, {
      what: `${count} in the queue of ${prefix}`,
    });

  test('a lease is taken from its holder, the next in line gets it, and no other lease goes', async () => {
    const pool = { path: '/x/pool', limit: 2 };
    const [a = ''] = await one.thread('a').semaphore(pool).acquire();
    const [b = ''] = await two.thread('b').semaphore(pool).acquire();
    const next = one.thread('c').semaphore(pool).acquire();
    await poolWaits(pool.path, 1);
    const planned = await stage.plan(evict(pool.path, a));
    const outcome = await stage.apply(evict(pool.path, a), planned);
    expect(outcome).toMatchObject({ done: true, freed: [{ prefix: pool.path }] });
    const [c = ''] = await next;
    expect(await stage.refusal(resize(pool.path, 3))).toMatchObject({ why: { code: 'not-offered-here' } });
    await shows(
      () => stage.semaphore(pool.path),
      { holders: [{ sessionId: b }, { sessionId: c }], waiters: [] },
      'the next holder',
    );
    expect(await stage.apply(evict(pool.path, a), planned)).toMatchObject({ why: { code: 'done-before' } });
    expect(await stage.refusal(evict(pool.path, a))).toMatchObject({ why: { code: 'not-holder' } });
    await one.thread('a').semaphore(pool).release(a);
    await two.thread('b').semaphore(pool).release(b);
    await one.thread('c').semaphore(pool).release(c);
  });

  test('the first in line goes by its lease, so that the next one is not locked out, and comes back at the tail', async () => {
    const pool = { path: '/x/line', limit: 1 };
    const [a = ''] = await one.thread('a').semaphore(pool).acquire();
    await poolHolds(pool.path, a);
    const second = two.thread('b').semaphore(pool).acquire();
    await poolWaits(pool.path, 1);
    const [first] = stage.semaphore(pool.path)?.waiters ?? [];
    // As long as it may have been granted just then, which is for two seconds, it is left alone.
    expect(await stage.refusal(dropFrom(pool.path, first?.sessionId ?? ''))).toMatchObject({
      code: 'busy',
      why: { code: 'zookeeper-next-in' },
    });
    const third = one.thread('c').semaphore(pool).acquire();
    await poolWaits(pool.path, 2);
    const last = stage.semaphore(pool.path)?.waiters[1];
    await shows(() => stage.semaphore(pool.path), { limitBasis: 'inferred' }, 'the wait');
    const { plan } = await stage.plan(dropFrom(pool.path, first?.sessionId ?? ''));
    expect(plan.writes[0]?.target).toContain('/leases/');
    const late = await stage.plan(dropFrom(pool.path, first?.sessionId ?? ''));
    await stage.act(dropFrom(pool.path, first?.sessionId ?? ''));
    await until(() => stage.semaphore(pool.path)?.waiters[0]?.sessionId === last?.sessionId, {
      what: 'the next one to be the first',
    });
    await poolWaits(pool.path, 2);
    expect(await stage.apply(dropFrom(pool.path, first?.sessionId ?? ''), late)).toMatchObject({
      code: 'stale',
    });
    await one.thread('a').semaphore(pool).release(a);
    const [c = ''] = await third;
    await one.thread('c').semaphore(pool).release(c);
    const [b = ''] = await second;
    await two.thread('b').semaphore(pool).release(b);
    expect(two.errors()).toContain('path not found');
  });

  test('a waiter that has become the first meanwhile is said to be next, and never to have held', async () => {
    const pool = { path: '/x/moved-up', limit: 1 };
    const [a = ''] = await one.thread('a').semaphore(pool).acquire();
    await poolHolds(pool.path, a);
    const second = two.thread('b').semaphore(pool).acquire();
    await poolWaits(pool.path, 1);
    const third = one.thread('c').semaphore(pool).acquire();
    await poolWaits(pool.path, 2);
    const sessionId = stage.semaphore(pool.path)?.waiters[1]?.sessionId ?? '';
    const late = await stage.plan(dropFrom(pool.path, sessionId));
    await one.thread('a').semaphore(pool).release(a);
    const [b = ''] = await second;
    // Before it is seen to wait with its lease, a request is told to try again.
    await shows(
      () => stage.semaphore(pool.path),
      { holders: [{ sessionId: b }], waiters: [{ sessionId }], limitBasis: 'inferred' },
      'the third to be next',
    );
    expect(await stage.apply(dropFrom(pool.path, sessionId), late)).toEqual({
      code: 'stale',
      why: { code: 'changed-since', facts: {} },
      difference: [{ code: 'zookeeper-first-now', facts: { sessionId } }],
    });
    await two.thread('b').semaphore(pool).release(b);
    const [c = ''] = await third;
    await one.thread('c').semaphore(pool).release(c);
  });

  test.each([
    ['a shared limit', '/x/stuck-shared', { path: '/x/stuck-shared', count: '/x/stuck-limit' }],
    ['a limit that was seen', '/x/stuck', { path: '/x/stuck', limit: 1 }],
  ])(
    'a lease without its place is found by %s, and its removal lets the next one in',
    async (_about, prefix, pool) => {
      if ('count' in pool) {
        await one.thread('n').count('/x/stuck-limit').set(1);
        await new Promise((resolve) => setTimeout(resolve, pendingMinMs));
      }
      const [a = ''] = await one.thread('a').semaphore(pool).acquire();
      await poolHolds(prefix, a);
      const second = two.thread('b').semaphore(pool).acquire();
      await poolWaits(prefix, 1);
      const third = one.thread('c').semaphore(pool).acquire();
      await poolWaits(prefix, 2);
      // The watch has seen it wait for two seconds; a shared limit must be as old when the lease comes.
      if (!('count' in pool))
        await shows(() => stage.semaphore(prefix), { limitBasis: 'inferred', limit: 1 }, 'the limit');
      await writer.delete(stage.semaphore(prefix)?.waiters[0]?.entryKey ?? '');
      await shows(
        () => stage.semaphore(prefix),
        { holders: [{ sessionId: a }], waiters: [{ verdict: 'ghost' }, { verdict: 'alive' }], limit: 1 },
        'the ghost',
      );
      // The next one counts the ghost's lease, and has one of its own.
      await until(
        () =>
          stage
            .semaphore(prefix)
            ?.waiters[1]?.evidence.some(({ code }) => code === 'zookeeper-lease-pending'),
        { what: 'the lease behind it' },
      );
      await one.thread('a').semaphore(pool).release(a);
      // Nobody holds, and nobody gets in.
      await shows(
        () => stage.semaphore(prefix),
        { holders: [], waiters: [{ verdict: 'ghost' }, { verdict: 'alive' }] },
        'the deadlock',
      );
      const ghost = stage.semaphore(prefix)?.waiters[0]?.sessionId ?? '';
      await stage.act(dropFrom(prefix, ghost));
      const [c = ''] = await third;
      await one.thread('c').semaphore(pool).release(c);
      const [b = ''] = await second;
      await two.thread('b').semaphore(pool).release(b);
    },
  );

  test('a shared limit is set over the value that was seen, and clients follow it at once', async () => {
    await one.thread('n').count('/x/limit').set(1);
    const pool = { path: '/x/shared', count: '/x/limit' };
    const [a = ''] = await one.thread('a').semaphore(pool).acquire();
    await poolHolds(pool.path, a);
    const next = two.thread('b').semaphore(pool).acquire();
    await poolWaits(pool.path, 1);
    const late = await stage.plan(resize(pool.path, 5));
    const outcome = await stage.act(resize(pool.path, 2));
    expect(outcome.after).toMatchObject({ limit: 2 });
    const [b = ''] = await next;
    expect(await stage.apply(resize(pool.path, 5), late)).toMatchObject({
      code: 'stale',
      difference: [{ code: 'limit-changed', facts: { before: '1', now: '2' } }],
    });
    const { plan } = await stage.plan(resize(pool.path, 1));
    expect(plan.warnings).toContainEqual({ code: 'over-limit', facts: { holders: 2, limit: 1 } });
    await stage.act(resize(pool.path, 1));
    expect(await one.thread('c').semaphore(pool).acquire({ waitMs: 200 })).toEqual([]);
    await one.thread('a').semaphore(pool).release(a);
    await two.thread('b').semaphore(pool).release(b);
    expect(await one.thread('c').semaphore(pool).acquire()).toHaveLength(1);
  });

  test('what is no shared count is not written, and a fixed limit is refused', async () => {
    await writer.create('/x/odd-limit', { data: 'nine bytes' });
    await writer.create('/x/odd/leases');
    expect(await stage.refusal(resize('/x/odd', 3))).toMatchObject({
      why: { code: 'zookeeper-count-form', facts: { path: '/x/odd-limit', bytes: 10 } },
    });
    expect(await stage.refusal(resize('/x/nowhere', 3))).toMatchObject({ code: 'not-found' });
    expect(await stage.refusal(release('/x/nowhere'))).toMatchObject({ code: 'not-found' });
    expect(await stage.refusal(release('no/path'))).toMatchObject({ code: 'not-found' });
  });
});
