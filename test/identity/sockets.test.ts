/** All credentials together stay within the connections that one agent is asked for, and none stands in another's way. */
import { afterAll, expect, test } from 'vitest';
import type { World } from '@/lib/domain/model';
import { heldLock } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import { backendOn, makeToken } from './tokens';

const consul = await startConsul({ acl: true });
const root = consul.client();
afterAll(() => consul.stop());

test.each([
  ['one prefix, following the log', { prefixes: [''], follows: true }, 6],
  ['one prefix', { prefixes: [''], follows: false }, 12],
  ['ten prefixes', { prefixes: Array.from({ length: 10 }, (_, i) => `p${i}/`), follows: true }, 2],
])(
  'with %s, as many credentials as fit watch at once over at most 48 connections',
  async (_what, options, most) => {
    const proxy = await startFaultProxy(consul.address);
    const backend = backendOn(proxy, options);
    expect(backend.credentialsMax).toBe(most);
    const rules =
      'key_prefix "" { policy = "read" } session_prefix "" { policy = "read" } node_prefix "" { policy = "read" } agent_prefix "" { policy = "read" }';
    const end = new AbortController();
    let connections = 0;
    const people = await Promise.all(
      Array.from({ length: most }, async () => {
        const provider = backend.provider((await makeToken(consul, rules)).secret);
        const seen: { world: World | null; state: string } = { world: null, state: '' };
        const ended = provider.watch(
          {
            world: (world) => {
              seen.world = world;
            },
            source: ({ state }) => {
              seen.state = state;
            },
          },
          end.signal,
        );
        return { provider, seen, ended };
      }),
    );
    try {
      const live = () => {
        connections = Math.max(connections, proxy.connections);
        return people.every(({ seen }) => seen.state === 'live');
      };
      await until(live, { what: 'everybody is live' });
      // One person's question is answered while everyone's queries wait.
      const signal = AbortSignal.timeout(10_000);
      for (const { provider } of people)
        expect(await provider.readable?.([{ source: 'consul', kind: 'lock', key: 'p1/x' }], signal)).toEqual([
          'yes',
        ]);
      // And every query hears of a change: none stands in line behind another's.
      const { key } = await heldLock(root, { key: `p1/${most}` });
      await until(
        () => live() && people.every(({ seen }) => seen.world?.locks.some((lock) => lock.key === key)),
        {
          what: 'everybody sees the change',
        },
      );
      expect(connections).toBeLessThanOrEqual(48);
      // The cap is worth something only if it is used: else fewer people could look than may.
      expect(connections).toBeGreaterThan(most * 2);
    } finally {
      end.abort();
      await Promise.all(people.map(({ ended }) => ended));
      for (const { provider } of people) provider.close();
      backend.close();
      await proxy.close();
    }
  },
);

test('closing one provider ends its own calls alone', async () => {
  const backend = backendOn(consul, { token: consul.token });
  const [one, other] = [backend.provider(consul.token), backend.provider(consul.token)];
  const states: string[] = [];
  const end = new AbortController();
  const ended = other.watch({ world: () => {}, source: ({ state }) => states.push(state) }, end.signal);
  await until(() => states.includes('live'), { what: 'the other is live' });
  one.close();
  expect(
    await other.readable?.([{ source: 'consul', kind: 'lock', key: 'a' }], AbortSignal.timeout(5_000)),
  ).toEqual(['yes']);
  expect(
    await one.readable?.([{ source: 'consul', kind: 'lock', key: 'a' }], AbortSignal.timeout(5_000)),
  ).toEqual(['unknown']);
  expect(states.at(-1)).toBe('live');
  end.abort();
  await ended;
  other.close();
  backend.close();
});
