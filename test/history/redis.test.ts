/** The past of locks in Redis, which names no waiters, and of permits, whose holders it does not name. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as atRoute from '@/app/api/v1/history/at/route';
import * as columnsRoute from '@/app/api/v1/history/columns/route';
import * as historyRoute from '@/app/api/v1/history/route';
import type { ColumnsAnswer } from '@/lib/domain/history/column';
import type { PastAnswer } from '@/lib/domain/history/past';
import { type Served, serve } from '@/test/machines/served';
import { startConsul } from '@/test/support/consul';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { until } from '@/test/support/until';

vi.mock('server-only', () => ({}));

const absent = await noRedis();
const redis = absent === null ? await startTestRedis() : null;
const party = 'c5f2a3de-6a51-4d4c-9f0e-0a5b7c9d1e2f:17';

describe.skipIf(redis === null)('the past of Redis', () => {
  let served: Served;
  beforeAll(async () => {
    if (redis === null) return;
    await redis.call('HSET', 'past:lock', party, 1);
    await redis.call('PEXPIRE', 'past:lock', 600_000);
    await redis.call('SET', 'past:permits', '2');
    const consul = await startConsul();
    served = await serve(consul, {
      SIGNALBOX_SOURCES: `redis://${redis.address}?id=redis&semaphores=past:permits`,
    });
  });
  afterAll(() => served.stop());

  test('a lock has its holder and no word of waiters; permits are not said to be free, nor idle', async () => {
    const at = async (atMs: number): Promise<PastAnswer> =>
      (await served.ask(atRoute.GET, `/api/v1/history/at?time=${atMs}&source=redis`)).json();
    const past = await until(
      async () => {
        const answer = await at(Date.now() - 7_000);
        return answer.locks.length > 0 && answer;
      },
      { what: 'the lock to be in the past', timeoutMs: 30_000 },
    );
    expect(past.sources).toMatchObject([{ id: 'redis', state: 'seen' }]);
    expect(past.semaphores).toEqual([]);
    const [lock] = past.locks;
    expect(lock).toMatchObject({ key: 'past:lock', holders: [{ sessionId: party, session: null }] });
    expect(Object.keys(lock ?? {})).not.toContain('limit');
    const history = await served.ask(
      historyRoute.GET,
      '/api/v1/history?subject=lock:past:lock&source=redis&from=-1h',
    );
    const { episodes, ...rest } = await history.json();
    expect(episodes).toMatchObject([{ waitersMax: null }]);
    expect(Object.keys(rest)).not.toContain('waits');
    expect(Object.keys(lock ?? {})).not.toContain('waiters');
    const subjects = ['redis!lock:past:lock', 'redis!semaphore:past:permits'];
    const answer = await served.ask(columnsRoute.POST, '/api/v1/history/columns', {
      method: 'POST',
      body: { subjects },
    });
    const { columns }: ColumnsAnswer = await answer.json();
    expect(Object.keys(columns)).toEqual(['redis!lock:past:lock']);
    expect(columns['redis!lock:past:lock']?.heldShare).toBeGreaterThan(0.5);
  }, 120_000);
});
