/** Semaphores whose clients may not write all that they need, or cannot see who has died; on a real Consul with ACLs. */
import { afterAll, describe, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { entry, session, textOf } from '@/test/actions/stage';
import { makeToken } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { remainsOf } from './remains';

const consul = await startConsul({ acl: true });
const root = consul.client({ maxPolls: 60 });
const { sessionsNamed, nothingLeft } = remainsOf(root);
afterAll(() => consul.stop());

const withRules = async (rules: string) => consul.client({ token: (await makeToken(consul, rules)).secret });
const sessions = 'session_prefix "" { policy = "write" }';
/** May write its entries, and read the coordination entry. */
const mayNotRecord = (prefix: string) =>
  withRules(
    `key_prefix "${prefix}/" { policy = "write" } key "${prefix}/.lock" { policy = "read" } ${sessions}`,
  );

/** The client, and how many transactions it has sent. */
function counting(client: ConsulClient) {
  const sent = { txns: 0 };
  const own: ConsulClient = {
    ...client,
    txn: (...args) => {
      sent.txns += 1;
      return client.txn(...args);
    },
  };
  return { own, sent };
}
const forbidden = { problem: { code: 'forbidden' } };

describe.concurrent('a semaphore, where rights are missing', () => {
  test('a client that may not record itself fails at its first write, waiting or not, and leaves nothing', async () => {
    const prefix = 'a/record';
    await entry(root, prefix, '{"Limit":2,"Holders":{}}');
    const { own, sent } = counting(await mayNotRecord(prefix));
    const semaphore = new Semaphore(own, { prefix, limit: 2, owner: prefix });
    await expect(semaphore.acquire()).rejects.toMatchObject(forbidden);
    await expect(semaphore.tryAcquire()).rejects.toMatchObject(forbidden);
    expect(sent.txns).toBe(2);
    await nothingLeft(prefix);
  });

  test('a client that may not record itself fails when its turn has come', async () => {
    const prefix = 'a/turn';
    const holder = await new Semaphore(root, { prefix, limit: 1, owner: prefix }).acquire();
    const { own, sent } = counting(await mayNotRecord(prefix));
    const semaphore = new Semaphore(own, { prefix, limit: 1, owner: prefix });
    const waiting = expect(semaphore.acquire()).rejects.toMatchObject(forbidden);
    await until(async () => (await semaphore.queueLength()) === 1, { what: 'it waits' });
    await holder.release();
    await waiting;
    expect(sent.txns, 'its entry, and one attempt').toBe(2);
    await nothingLeft(prefix);
  });

  test('a client that may not write its entry gets that reason, and not that something broke', async () => {
    const prefix = 'a/entry';
    const holder = await new Semaphore(root, { prefix, limit: 1 }).acquire();
    const reader = await withRules(`key_prefix "${prefix}" { policy = "read" } ${sessions}`);
    const semaphore = new Semaphore(reader, { prefix, limit: 1, owner: 'a-reader' });
    await expect(semaphore.acquire()).rejects.toMatchObject(forbidden);
    await holder.release();
    await until(async () => (await sessionsNamed('a-reader')).length === 0, { what: 'its session is ended' });
  });

  test('under flags 0 a holder in the record alone keeps its slot until its session is known to have ended', async () => {
    for (const [prefix, record] of [
      ['a/list', (id: string) => `{"limit":1,"holders":["${id}"]}`],
      ['a/map', (id: string) => `{"Limit":1,"Holders":{"${id}":true}}`],
    ] as const) {
      const id = await session(root);
      await entry(root, prefix, record(id), '0');
      const semaphore = new Semaphore(root, { prefix, limit: 1, owner: prefix });
      expect(await semaphore.availablePermits()).toBe(0);
      expect(await semaphore.tryAcquire()).toBeNull();
      expect(await textOf(root, `${prefix}/.lock`)).toBe(record(id));
      await root.destroySession(id);
      const blind = new Semaphore(await withRules(`key_prefix "${prefix}" { policy = "write" }`), {
        prefix,
        limit: 1,
      });
      expect(await blind.tryAcquire(), 'who may not read sessions cannot tell').toBeNull();
      const permit = await semaphore.tryAcquire();
      expect(await textOf(root, `${prefix}/.lock`)).toBe(record(permit?.sessions[0] ?? ''));
      await permit?.release();
      await nothingLeft(prefix);
    }
  });

  test('a name in the record that no session can have keeps its slot under flags 0', async () => {
    const prefix = 'a/named';
    await entry(root, prefix, '{"limit":1,"holders":["worker-7"]}', '0');
    expect(await new Semaphore(root, { prefix, limit: 1 }).tryAcquire()).toBeNull();
    expect(await textOf(root, `${prefix}/.lock`)).toBe('{"limit":1,"holders":["worker-7"]}');
  });
});
