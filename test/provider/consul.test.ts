/** The contract on Consul, with its own clients' layouts. */
import { createConsulBackend } from '@/lib/providers/consul/backend';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { contender, entry, session } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { providerContract } from './contract';

/** Lowered, because Consul's shortest is ten seconds. It ends a session within two of them. */
const ttlMs = 5_000;

providerContract({
  name: 'Consul',
  start: async () => {
    const consul = await startConsul({ extraConfig: { session_ttl_min: `${ttlMs}ms` } });
    const client = consul.client();
    const take = async (key: string, id: string) => {
      if (!(await client.acquire({ key, value: Buffer.from('x'), flags: lockFlags, session: id })))
        throw new Error(`${key} is taken.`);
      return id;
    };
    return {
      stop: () => consul.stop(),
      stage: async () => {
        const proxy = await startFaultProxy(consul.address);
        const settings = consulSettings({ CONSUL_HTTP_ADDR: proxy.address });
        /** Past the proxy, as every client writes. */
        const direct = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: consul.address }));
        return {
          backend: createConsulBackend({ settings, renewalAgents: [], prefixes: [''], now: Date.now }),
          hands: {
            hold: async (key) => take(key, await session(client)),
            letGo: async (key, holder) => {
              await client.release({ key, value: Buffer.from('x'), flags: lockFlags, session: holder });
            },
            queue: null,
            semaphore: async (prefix, limit, n) => {
              const ids = await Promise.all(Array.from({ length: n }, () => contender(client, prefix)));
              const holders = Object.fromEntries(ids.map((id) => [id, true]));
              await entry(client, prefix, JSON.stringify({ Limit: limit, Holders: holders }), semaphoreFlags);
              return ids;
            },
            holdAndDie: async (key) => {
              const id = await client.createSession({
                name: 'dies',
                ttlMs,
                behavior: 'release',
                lockDelayMs: 0,
                checks: [],
              });
              return { holder: await take(key, id), freedMs: 2 * ttlMs };
            },
            cut: async () => proxy.refuse(),
            restore: async () => proxy.accept(),
            stored: async () => {
              const rows = (await direct.list('', { consistency: 'consistent' })).value;
              const sessions = (await direct.sessions({ consistency: 'consistent' })).value;
              return JSON.stringify([
                rows.map((row) => ({ ...row, value: row.value.toString('base64') })),
                sessions,
              ]);
            },
          },
          close: async () => {
            direct.close();
            await proxy.close();
          },
        };
      },
    };
  },
});
