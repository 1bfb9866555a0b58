/**
 * Clients that return with a new session, as Patroni and Terraform do, on a real Consul. The reports of dialog and
 * record are checked after every change of the view.
 */
import { afterAll, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { lookAtAll, pin, storyOf } from '@/lib/domain/actions/aftermath';
import type { Followed } from '@/lib/domain/actions/audit';
import type { Lock } from '@/lib/domain/model';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { openStore } from '@/lib/server/store/store';
import { fresh } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { asked, openDesk } from '@/test/support/desk';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const store = openStore({ folder: freshFolder() });
const desk = openDesk({ consul: consul.address, store, followMs: 60_000 });
afterAll(async () => {
  await desk.close();
  await store.close();
  await consul.stop();
});

const inView = (key: string, what: string, condition: (lock: Lock) => boolean) =>
  until(() => desk.hub.snapshot().locks.some((lock) => lock.key === key && condition(lock)), { what });

const acquire = async (key: string, session: string, { value = '', flags = '0' } = {}) =>
  until(() => client.acquire({ key, value: Buffer.from(value), flags, session }), {
    what: `${key} is taken`,
  });

async function write(key: string, value: string): Promise<void> {
  const index = (await client.get(key)).value?.modifyIndex ?? '0';
  expect(await client.cas({ key, value: Buffer.from(value), flags: '0', index })).toBe(true);
}

/** Every line that the dialog shows meanwhile, each once. */
async function toldWhile(action: Action, goesOn: () => Promise<void>): Promise<string[]> {
  let seen = pin(action, desk.hub.snapshot());
  const told: string[] = [];
  const look = () => {
    const nowMs = Date.now();
    seen = lookAtAll(seen, desk.hub.snapshot(), nowMs);
    const lines = storyOf(seen, nowMs).map(({ code, whom }) => `${code} ${whom?.label ?? '-'}`);
    told.push(...lines.filter((line) => !told.includes(line)));
  };
  const { leave } = desk.hub.subscribe({ step: look, closed: () => {} }, null);
  const planned = await (await desk.post(asked({ mode: 'plan', action }))).json();
  const answer = await desk.post(asked({ mode: 'apply', action, reason: 'test', expect: planned.expect }));
  expect(answer.status).toBe(200);
  await goesOn();
  look();
  leave();
  return told;
}

const followedOf = (subject: string) =>
  until(
    async () => {
      const [row] = await desk.audit.read({ below: null, limit: 1, subject, kind: 'followed' });
      return (row?.detail as unknown as Followed | undefined)?.subjects.find(
        (one) => one.subject === subject,
      );
    },
    { what: 'what followed is on record' },
  );

test('a Terraform run that takes its lock again is named, and never called by its session id', async () => {
  const path = fresh('terraform/prod');
  const [key, info] = [`${path}/.lock`, `${path}/.lockinfo`];
  const login = () =>
    client.createSession({
      name: 'Consul API Lock',
      ttlMs: 15_000,
      behavior: 'release',
      // Long enough to be seen by a busy machine.
      lockDelayMs: 4_000,
      checks: [],
    });
  const inform = (id: string) =>
    write(info, JSON.stringify({ ID: id, Operation: 'OperationTypeApply', Who: 'root@vm' }));
  const first = await login();
  await acquire(key, first, { flags: lockFlags });
  await inform(first);
  await inView(key, 'the view names the run', ({ holder }) => holder?.label === 'root@vm');
  let second = '';
  const told = await toldWhile(
    { type: 'lock.release', source: 'consul', key, how: 'destroy-session' },
    async () => {
      await inView(key, 'the lock-delay is over', ({ state }) => state === 'free');
      second = await login();
      await acquire(key, second, { flags: lockFlags });
      await inView(
        key,
        'the view shows the lock without its info',
        ({ holder }) => holder?.sessionId === second,
      );
      await inform(second);
      await inView(key, 'the view names the run again', ({ holder }) => holder?.label === 'root@vm');
    },
  );
  expect(told).toEqual(['gone root@vm', 'delayed -', 'delay-over -', 'returned root@vm']);
  expect(await followedOf(`lock:${key}`)).toMatchObject({
    what: 'taken',
    by: [second],
    again: [second],
    whom: [{ session: second, label: 'root@vm' }],
  });
});

test('a Patroni member whose keys went with its session is out, and takes the leader again', async () => {
  const scope = fresh('service/db');
  const key = `${scope}/leader`;
  const join = async () => {
    const id = await client.createSession({
      name: `${scope.split('/').at(-1)}-pg1`,
      ttlMs: 15_000,
      behavior: 'delete',
      lockDelayMs: 1,
      checks: [],
    });
    await acquire(`${scope}/members/pg1`, id, {
      value: '{"conn_url":"postgres://10.0.0.1","state":"running"}',
    });
    await acquire(key, id, { value: 'pg1' });
    return id;
  };
  await join();
  await inView(key, 'the view shows the leader', ({ layout }) => layout === 'patroni-leader');
  let second = '';
  const told = await toldWhile(
    { type: 'lock.release', source: 'consul', key, how: 'destroy-session' },
    async () => {
      await until(() => !desk.hub.snapshot().locks.some((lock) => lock.key === key), {
        what: 'the key is gone',
      });
      second = await join();
      await inView(key, 'the view shows the leader again', ({ holder }) => holder?.sessionId === second);
    },
  );
  expect(told).toEqual(['gone pg1', 'entry-gone -', 'returned pg1']);
  expect(await followedOf(`lock:${key}`)).toMatchObject({
    what: 'taken',
    again: [second],
    whom: [{ label: 'pg1' }],
  });
});

test('one that waited with a session of the same name takes its turn, and is not said to have returned', async () => {
  const key = fresh('lock');
  const login = () =>
    client.createSession({ name: 'backup', ttlMs: null, behavior: 'release', lockDelayMs: 0, checks: [] });
  const [holds, waits] = [await login(), await login()];
  await acquire(key, holds);
  await inView(key, 'the view shows the holder', ({ holder }) => holder?.label === 'backup');
  await until(() => desk.hub.snapshot().sessions.some(({ id }) => id === waits), {
    what: 'who waits is in view',
  });
  const told = await toldWhile(
    { type: 'lock.release', source: 'consul', key, how: 'destroy-session' },
    async () => {
      await acquire(key, waits);
      await inView(key, 'the view shows who waited', ({ holder }) => holder?.sessionId === waits);
    },
  );
  expect(told.at(-1)).toBe('taken backup');
  const seen = await followedOf(`lock:${key}`);
  expect(seen).toMatchObject({ what: 'taken', by: [waits] });
  expect(seen).not.toHaveProperty('again');
});
