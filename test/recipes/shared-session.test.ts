/** Locks that hold by a passed session, on a real Consul. */
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connect, lostReason } from '@/packages/locks/src/index';
import { Lock } from '@/packages/locks/src/lock';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

// Consul itself allows no TTL below ten seconds.
const consul = await startConsul({ extraConfig: { session_ttl_min: '3s' } });
const client = consul.client();
afterAll(() => consul.stop());

const holder = async (key: string) => (await client.get(key)).value?.session ?? null;

/** A connection through a proxy of its own. */
async function ownLink() {
  const proxy = await startFaultProxy(consul.address);
  const own = connect({ address: proxy.address });
  onTestFinished(async () => {
    proxy.resume();
    proxy.accept();
    await own.close();
    await proxy.close();
  });
  return { proxy, own };
}

test('locks are lost with their shared session before another client has one, also without an answer', async () => {
  const { proxy, own } = await ownLink();
  const session = await own.session({ name: 's/shared', ttlMs: 3_000, lockDelayMs: 0 });
  const of = (key: string) => own.lock({ key, session: { id: session.id } });
  const [left, right] = [await of('s/shared/left').acquire(), await of('s/shared/right').acquire()];
  const given = await of('s/shared/given').acquire();
  await given.release();
  const rival = new Lock(client, { key: 's/shared/left', restMaxMs: 0 }).acquire().then((hold) => {
    return { hold, wasLost: left.lost.aborted };
  });
  proxy.stall();
  await until(() => session.lost.aborted, { what: 'the session gives up' });
  expect([left, right, given].map(({ lost }) => lostReason(lost))).toEqual([
    'monitor-failed',
    'monitor-failed',
    null,
  ]);
  await expect(of('s/shared/third').acquire(), 'by a lost session').rejects.toMatchObject({
    reason: 'monitor-failed',
  });
  const { hold, wasLost } = await rival;
  expect(wasLost).toBe(true);
  await hold.release();
  proxy.reset();
  proxy.resume();
  await session.end();
});

test('the end of a shared session loses its locks, also without an answer', async () => {
  const { proxy, own } = await ownLink();
  const session = await own.session({ name: 's/ended', ttlMs: 3_000, lockDelayMs: 0 });
  const hold = await own.lock({ key: 's/ended/key', session: { id: session.id } }).acquire();
  proxy.stall();
  const ended = session.end();
  expect(lostReason(hold.lost)).toBe('session-invalidated');
  expect(lostReason(session.lost)).toBeNull();
  proxy.reset();
  proxy.resume();
  await ended;
  await until(async () => (await holder('s/ended/key')) === null, { what: 'the key is free' });
});
