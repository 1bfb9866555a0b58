/** Two joined Consul datacenters, as two sources behind one agent that differ by `dc=`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lock, World } from '@/lib/domain/model';
import { isProblem } from '@/lib/domain/problem';
import type { SourceState } from '@/lib/domain/source-state';
import { createConsulBackend } from '@/lib/providers/consul/backend';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { consulSource } from '@/lib/providers/consul/source';
import { readSources } from '@/lib/server/process/source-list';
import { joinBackends } from '@/lib/server/sources/joined-backend';
import type { TestConsul } from '@/test/support/consul';
import { startDatacenters } from '@/test/support/datacenters';
import { until } from '@/test/support/until';

let consuls: Readonly<Record<'east' | 'west', TestConsul>>;
beforeAll(async () => {
  consuls = await startDatacenters('east', 'west');
});

/** As the operator names them. `more`: further parameters of west. */
function watched(more = '') {
  const consul = consulSettings({});
  const { address } = consuls.east;
  const backends = readSources({
    SIGNALBOX_SOURCES: `consul://${address}?id=east&dc=east consul://${address}?id=west&dc=west${more}`,
  }).map((source) =>
    createConsulBackend({
      ...consulSource(source, { consul, renewalAgents: [consul], prefixes: [''], signsIn: false }),
      now: Date.now,
    }),
  );
  const [first, ...others] = backends;
  if (first === undefined) throw new Error('no source');
  const backend = joinBackends([first, ...others]);
  const provider = backend.provider(null);
  const end = new AbortController();
  let world: World | null = null;
  let state: SourceState | null = null;
  const ended = provider.watch(
    {
      world: (now) => {
        world = now;
      },
      source: (now) => {
        state = now;
      },
    },
    end.signal,
  );
  return {
    provider,
    lock: (source: string, key: string): Lock | undefined =>
      world?.locks.find((lock) => lock.source === source && lock.key === key),
    part: (id: string) => state?.parts?.find((part) => part.id === id),
    stop: async () => {
      end.abort();
      await ended;
      provider.close();
      backend.close();
    },
  };
}
type Watched = ReturnType<typeof watched>;

const both: Watched[] = [];
const watching = async (more?: string) => {
  const one = watched(more);
  both.push(one);
  for (const id of ['east', 'west'])
    await until(() => one.part(id)?.state === 'live', { what: `${id} to be live` });
  return one;
};
afterAll(() => Promise.all(both.map((one) => one.stop())));

async function hold(at: TestConsul, key: string, { ttlMs = 600_000, lockDelayMs = 0 } = {}) {
  const client = at.client();
  const session = await client.createSession({ name: key, ttlMs, behavior: 'release', lockDelayMs });
  await client.acquire({ key, session, flags: lockFlags, value: Buffer.alloc(0) });
  return session;
}
const signal = () => AbortSignal.timeout(20_000);

test('the same key in two datacenters is two locks, and a release frees the one of the datacenter that it names', async () => {
  const one = await watching();
  const [inEast, inWest] = [await hold(consuls.east, 'jobs/a'), await hold(consuls.west, 'jobs/a')];
  const holder = (source: string) => one.lock(source, 'jobs/a')?.holder?.sessionId;
  await until(() => holder('east') === inEast && holder('west') === inWest, { what: 'both holders' });
  const release = { type: 'lock.release', source: 'west', key: 'jobs/a', how: 'hand-over' } as const;
  const planned = await one.provider.plan(release, signal());
  if (isProblem(planned)) throw new Error(JSON.stringify(planned));
  // By hand it is the same datacenter, too.
  const commands = planned.plan.manual.flatMap(({ command }) => command ?? []);
  expect(commands).toHaveLength(2);
  for (const command of commands) expect(command).toMatch(/\?dc=west'| -datacenter=west /);
  expect(await one.provider.apply(release, planned.expect, signal())).toMatchObject({ done: true });
  await until(() => one.lock('west', 'jobs/a')?.holder === null, { what: 'the lock of west to be free' });
  expect((await consuls.west.client().get('jobs/a')).value?.session).toBeNull();
  expect((await consuls.east.client().get('jobs/a')).value?.session).toBe(inEast);
  expect(holder('east')).toBe(inEast);
});

test('a datacenter that is read through another says so, and claims no renewal that went through its own agents', async () => {
  const one = await watching();
  expect(one.part('east')).toMatchObject({ datacenter: 'east' });
  expect(one.part('east')?.across).toBeUndefined();
  await until(() => one.part('west')?.across?.from === 'east', { what: 'the agent’s datacenter' });
  expect(one.part('west')).toMatchObject({ datacenter: 'west' });
  const session = await hold(consuls.west, 'jobs/renewed');
  await until(() => one.part('west')?.renewals[0]?.state === 'observed', {
    what: 'the agent to be followed',
  });
  const codes = () =>
    one.lock('west', 'jobs/renewed')?.holder?.evidence.map(({ code, detail }) => `${code} ${detail}`) ?? [];
  await consuls.west.client().renewSession(session);
  await until(() => codes().includes('renewals-not-observed unseen'), { what: 'the evidence' });

  const named = await watching(`&renewal-agents=${consuls.west.address}`);
  await until(() => named.part('west')?.renewals[0]?.state === 'observed', { what: 'west to be followed' });
  await consuls.west.client().renewSession(session);
  const seen = () =>
    named.lock('west', 'jobs/renewed')?.holder?.evidence.find(({ code }) => code === 'renewal-observed');
  expect((await until(seen, { what: 'the renewal' })).detail).toBe(`http://${consuls.west.address}`);
  expect(codes()).not.toContain('renewal-observed');
});

test('a lock-delay of another datacenter is seen and asked for there, and says nothing of the same key here', async () => {
  const one = await watching();
  const session = await hold(consuls.west, 'jobs/delayed', { lockDelayMs: 30_000 });
  await hold(consuls.east, 'jobs/delayed');
  await until(() => one.lock('west', 'jobs/delayed')?.holder?.sessionId === session, { what: 'the holder' });
  await consuls.west.client().destroySession(session);
  const delayed = await until(() => one.lock('west', 'jobs/delayed')?.delay, { what: 'the lock-delay' });
  expect(delayed).toMatchObject({ sessionId: session, lengthMs: 30_000, basis: 'seen' });
  const ask = (source: string) => one.provider.probe?.({ source, key: 'jobs/delayed' }, signal());
  expect(await ask('west')).toMatchObject({ answer: 'delayed' });
  expect(await ask('east')).toMatchObject({ answer: 'not-delayed' });
  await until(() => one.lock('east', 'jobs/delayed')?.state === 'held', {
    what: 'the lock of east to be held',
  });
});

test('while the other datacenter is not reached its rows are old and nothing is written there; the own one stays live', async () => {
  const one = await watching();
  await hold(consuls.west, 'jobs/away');
  await until(() => one.lock('west', 'jobs/away')?.holder, { what: 'the holder' });
  await consuls.west.kill();
  const away = await until(() => (one.part('west')?.state === 'down' ? one.part('west') : null), {
    what: 'west to be down',
  });
  expect(away.problem).toMatchObject({ why: { code: 'datacenter-away', facts: { datacenter: 'west' } } });
  expect(one.part('east')?.state).toBe('live');
  expect(one.lock('west', 'jobs/away')?.holder).not.toBeNull();
  const release = { type: 'lock.release', source: 'west', key: 'jobs/away', how: 'hand-over' } as const;
  expect(await one.provider.plan(release, signal())).toMatchObject({ code: 'unavailable' });
  await consuls.west.restart();
  await until(() => one.part('west')?.state === 'live', { what: 'west to be live again', timeoutMs: 60_000 });
});
