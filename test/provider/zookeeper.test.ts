/** The contract on ZooKeeper, with nodes as Curator makes them. */
import { describe } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import { createZooKeeperBackend } from '@/lib/providers/zookeeper/backend';
import { createZkClient } from '@/lib/providers/zookeeper/client/client';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { noZooKeeper, startTestZooKeeper } from '@/test/support/zookeeper';
import { settingsOf, startWriter } from '@/test/zookeeper/writer';
import { providerContract } from './contract';

const absent = await noZooKeeper();
const sessionMs = 6_000;

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const int = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

describe.skipIf(absent !== null)('ZooKeeper', () => {
  providerContract({
    name: 'ZooKeeper',
    named: (plain) => `/${plain}`,
    start: async () => {
      const server = await startTestZooKeeper({
        // Empty containers stay while the texts of what is stored are compared.
        system: { 'znode.container.checkIntervalMs': '3600000' },
      });
      return {
        stop: () => server.stop(),
        stage: async () => {
          const proxy = await startFaultProxy(server.address);
          const direct = settingsOf(server.address);
          const writer = await startWriter(direct);
          const reader = createZkClient({ settings: direct, now: Date.now, random: Math.random });
          /** The contract names semaphores anew in each test. */
          const counts = new Map<string, string>();
          const closing: (() => Promise<void>)[] = [writer.close, reader.close, proxy.close];
          return {
            backend: createZooKeeperBackend({ ...settingsOf(proxy.address, { counts }), now: Date.now }),
            hands: {
              hold: async (key) => nameOf(await writer.enter(key, 'lock')),
              letGo: (key, holder) => writer.delete(`${key}/${holder}`),
              queue: async (key, clients) => {
                const ids: string[] = [];
                for (let n = 0; n < clients; n += 1) ids.push(nameOf(await writer.enter(key, 'lock')));
                return ids;
              },
              semaphore: async (prefix, limit, holders) => {
                counts.set(prefix, `${prefix}-limit`);
                await writer.create(`${prefix}-limit`, { data: int(limit) });
                const ids: string[] = [];
                for (let n = 0; n < holders; n += 1)
                  ids.push(nameOf(await writer.enter(`${prefix}/leases`, 'lease')));
                return ids;
              },
              holdAndDie: async (key) => {
                const line = await startFaultProxy(server.address);
                const dying = await startWriter(settingsOf(line.address, { sessionMs }));
                closing.push(dying.close, line.close);
                const holder = nameOf(await dying.enter(key, 'lock'));
                line.refuse();
                return { holder, freedMs: 2 * sessionMs };
              },
              cut: async () => proxy.refuse(),
              restore: async () => proxy.accept(),
              stored: async () => {
                const tree = await reader.subtree('/', 10_000, AbortSignal.timeout(10_000));
                if (isProblem(tree)) throw new Error(JSON.stringify(tree));
                return JSON.stringify([...tree].sort(([a], [b]) => (a < b ? -1 : 1)));
              },
            },
            close: async () => {
              for (const close of closing) await close();
            },
          };
        },
      };
    },
  });
});
