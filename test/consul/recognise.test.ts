/** Recognition beside the real client library: `consul lock` acts on our verdict of a holder. */
import { beforeAll, expect, test } from 'vitest';
import type { Semaphore } from '@/lib/domain/model';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { observe } from '@/lib/providers/consul/observed/sightings';
import { recognise } from '@/lib/providers/consul/recognise/recognise';
import { newCoordination, readCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { runConsulLock, startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

let consul: TestConsul;
let client: ConsulClient;

beforeAll(async () => {
  consul = await startConsul();
  client = consul.client();
});

/** The present semaphore, read in full. */
async function seen(prefix: string): Promise<Semaphore | null> {
  const consistency = 'consistent';
  const rows = (await client.list('', { consistency })).value;
  const sessions = (await client.sessions({ consistency })).value;
  const world = recognise({
    rows,
    roots: [''],
    sessions,
    checks: (await client.checks()).value,
    sightings: observe(null, {
      rows,
      rowsIndexes: [],
      sessions,
      sessionsIndex: null,
      nowMs: 0,
      afterGap: true,
    }),
  });
  return world.semaphores.find((semaphore) => semaphore.prefix === prefix) ?? null;
}

const verdicts = (semaphore: Semaphore | null) =>
  Object.fromEntries((semaphore?.holders ?? []).map((holder) => [holder.sessionId, holder.verdict]));

test('the real client prunes exactly the holders that we call ghosts', async () => {
  const session = () => client.createSession({ name: '', ttlMs: null, behavior: 'release', lockDelayMs: 0 });
  const [member, neighbour, ghost] = [await session(), await session(), await session()];
  const lock = (key: string, id: string) =>
    client.acquire({ key, value: Buffer.alloc(0), flags: semaphoreFlags, session: id });
  await lock(`rule/jobs/${member}`, member);
  // Only the string prefix `rule/jobs` covers this one: `rule/jobs/` does not.
  await lock(`rule/jobs-2/${neighbour}`, neighbour);
  await client.cas({
    key: 'rule/jobs/.lock',
    value: newCoordination('map', 3, [member, neighbour, ghost]),
    flags: semaphoreFlags,
    index: '0',
  });
  expect(verdicts(await seen('rule/jobs'))).toEqual({
    [member]: 'node-bound',
    [neighbour]: 'node-bound',
    [ghost]: 'ghost',
  });

  runConsulLock(consul, { n: 3, prefix: 'rule/jobs', command: 'sleep 600' });
  const holders = await until(
    async () => {
      const row = (await client.get('rule/jobs/.lock', { consistency: 'consistent' })).value;
      const recorded = row === null ? [] : (readCoordination(row.value).holders ?? []);
      return recorded.includes(ghost) ? null : recorded;
    },
    { what: 'consul lock has pruned the ghost and taken its slot' },
  );
  expect(holders).toHaveLength(3);
  expect(holders).toContain(member);
  expect(holders).toContain(neighbour);
});

test('a killed holder is shown as holding until Consul ends its session, and then the next one is', async () => {
  const prefix = 'rule/killed';
  const first = runConsulLock(consul, { n: 2, prefix, command: 'sleep 600' });
  const one = await until(async () => ((await seen(prefix))?.recorded === 1 ? seen(prefix) : null), {
    what: 'the first holds a slot',
  });
  const killed = one.holders[0]?.sessionId ?? '';
  for (const n of [2, 3]) {
    runConsulLock(consul, { n: 2, prefix, command: 'sleep 600' });
    await until(
      async () => {
        const now = await seen(prefix);
        return now !== null && now.holders.length + now.waiters.length === n && now.recorded === 2;
      },
      { what: `${n} contenders` },
    );
  }
  first.kill9();
  await first.exited;
  const after = await seen(prefix);
  // Nothing in Consul has changed, so nothing is claimed: it may be alive, and it ends within two TTLs if not.
  expect(after?.holders.find((holder) => holder.sessionId === killed)).toMatchObject({
    verdict: 'alive',
    label: expect.stringContaining('sleep 600'),
    expiry: { kind: 'bounded', withinMs: 30_000 },
  });
  expect(after).toMatchObject({ recorded: 2, effective: 2, limit: 2 });
  const waiting = after?.waiters[0]?.sessionId ?? '';

  // Consul would end it later; destroying it is the same event, sooner.
  await client.destroySession(killed);
  const next = await until(
    async () => {
      const now = await seen(prefix);
      return verdicts(now)[waiting] === 'alive' ? now : null;
    },
    { what: 'the waiter holds the slot' },
  );
  expect(verdicts(next)[killed]).toBeUndefined();
  expect(next).toMatchObject({ recorded: 2, effective: 2, waiters: [], problems: [] });
});
