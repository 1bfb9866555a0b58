/** How holds of real Curator clients ended, as the history has it: let go, gone with a killed client, and taken away from here. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Served, serve, whenLive } from '@/test/machines/served';
import { requestsOf } from '@/test/provider/requests';
import { startConsul } from '@/test/support/consul';
import { startCurator, type TestCurator } from '@/test/support/curator';
import { noZooKeeper, startTestZooKeeper } from '@/test/support/zookeeper';
import { endsOf } from './ends';

vi.mock('server-only', () => ({}));

const absent = await noZooKeeper();

describe.skipIf(absent !== null)('the ends of holds in ZooKeeper', () => {
  let served: Served;
  let client: TestCurator;
  let doomed: TestCurator;
  beforeAll(async () => {
    const server = await startTestZooKeeper({ admin: true });
    [client, doomed] = await Promise.all([
      startCurator(server.address),
      startCurator(server.address, { sessionMs: 15_000 }),
    ]);
    const consul = await startConsul();
    served = await serve(consul, {
      SIGNALBOX_SOURCES: `zookeeper://${server.address}/?id=zk&prefixes=/ends/&admin=${server.admin}`,
      SIGNALBOX_WRITES: 'on',
    });
    // A hold that was there before began at an unknown time.
    await whenLive();
  }, 60_000);
  afterAll(() => served?.stop());

  const { shows, begun, ended, act } = endsOf(() => served, 'zk');

  test('one that a client let go was released, and the next in the queue got in', async () => {
    const lock = { kind: 'mutex', path: '/ends/released' } as const;
    const [first, next] = [client.thread('first'), doomed.thread('next')];
    await first.acquire(lock);
    await begun(lock.path);
    const waits = next.acquire(lock);
    await shows(lock.path, ({ waits = [] }) => waits.length === 1);
    await first.release(lock);
    await waits;
    const answer = await shows(lock.path, ({ episodes }) => episodes.length === 2);
    expect(answer).toMatchObject({
      episodes: [
        { end: 'released', to: { basis: 'observed' }, waitersMax: 1, deed: null },
        { end: null, from: { basis: 'observed' } },
      ],
      waits: [{ end: 'got-in' }],
    });
    await next.release(lock);
  }, 60_000);

  test('one that was released from here is named with who did it and why', async () => {
    const lock = { kind: 'mutex', path: '/ends/evicted' } as const;
    await client.thread('loses').acquire(lock);
    await begun(lock.path);
    await act(requestsOf('zk').release(lock.path), 'it hangs');
    const answer = await shows(lock.path, ({ episodes: [first] }) => first?.deed != null);
    expect(answer.episodes).toMatchObject([
      { end: 'evicted-here', deed: { type: 'lock.release', reason: 'it hangs' }, to: { basis: 'observed' } },
    ]);
  }, 60_000);

  test('one whose client was killed ended with its session', async () => {
    const lock = { kind: 'mutex', path: '/ends/killed' } as const;
    await doomed.thread('dies').acquire(lock);
    await begun(lock.path);
    await doomed.kill9();
    // Two looks at the servers' connections are at most this session's time-out apart.
    await shows(lock.path, ({ episodes: [first] }) => first?.verdicts.at(-1)?.verdict === 'overdue');
    const { episodes } = await ended(lock.path);
    expect(episodes).toMatchObject([{ end: 'session-ended', to: { basis: 'observed' } }]);
  }, 60_000);
});
