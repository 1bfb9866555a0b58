/** How soon a holder learns of a certain loss, and for which reason, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import { type ConsulClient, createConsulClient } from '@/lib/providers/consul/client/client';
import { callTimeoutMs } from '@/lib/providers/consul/client/run';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { Lock } from '@/packages/locks/src/lock';
import { lostReason } from '@/packages/locks/src/lost';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import { remainsOf } from './remains';

const consul = await startConsul();
const client = consul.client({ maxPolls: 20 });
const { lockRow, nothingLeft } = remainsOf(client);
afterAll(() => consul.stop());

/** Renewed in twelve hours: no loss within a test is noticed by that. */
const rarely = { sessionTtlMs: 86_400_000 };

test('a holder learns that it was taken out before Consul says whether its session lives', async () => {
  const prefix = 'reason/unsaid';
  const proxy = await startFaultProxy(consul.address);
  const through = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
  proxy.stall();
  const own: ConsulClient = { ...client, session: through.session };
  const slots = await new Semaphore(own, { prefix, limit: 1, owner: prefix, ...rarely }).acquire();
  const lock = await new Lock(own, { key: `${prefix}-lock`, sessionName: prefix }).acquire();
  const [row, held] = [await lockRow(prefix), (await client.get(lock.key)).value];
  if (row === null || held === null) throw new Error('Nobody holds them.');
  const took = performance.now();
  await client.cas({ ...row, value: Buffer.from(''), index: row.modifyIndex });
  await client.release({ ...held, value: Buffer.from(''), session: lock.session });
  await until(() => slots.lost.aborted && lock.lost.aborted, { what: 'both learn of it' });
  expect(performance.now() - took, 'before a call without an answer fails').toBeLessThan(callTimeoutMs / 2);
  expect([slots, lock].map(({ lost }) => lostReason(lost))).toEqual(['force-released', 'force-released']);
  proxy.resume();
  through.close();
  await proxy.close();
  await client.deleteCas(row.key, (await lockRow(prefix))?.modifyIndex ?? '');
  await nothingLeft(prefix);
});

test('of several slots, only the session of a lost one is asked for', async () => {
  const prefix = 'reason/asked';
  const asked: string[] = [];
  const own: ConsulClient = {
    ...client,
    session: (id, options) => {
      asked.push(id);
      return client.session(id, options);
    },
  };
  const held = await new Semaphore(own, { prefix, limit: 3, owner: prefix, ...rarely }).acquire({
    permits: 3,
  });
  const lost = held.sessions[1] ?? '';
  asked.length = 0;
  await client.destroySession(lost);
  await until(() => held.lost.aborted, { what: 'it learns of it' });
  expect(lostReason(held.lost)).toBe('session-invalidated');
  expect(asked).toEqual([lost]);
  await nothingLeft(prefix);
});
