/** ZooKeeper: from a client's write to the published change, beside a bare recursive watch; and 50,000 nodes. */
import { createZooKeeperProvider } from '@/lib/providers/zookeeper/provider';
import { startTestZooKeeper } from '@/test/support/zookeeper';
import { settingsOf, startWriter } from '@/test/zookeeper/writer';
import { type Ground, many, starts, wakes, writes } from './backend';
import type { Bench, BenchStage } from './figure';

const root = '/bench';
const atOnce = 500;
const sessionMs = 60_000;

async function furnished(count: number, { defer }: BenchStage): Promise<Ground> {
  const server = await startTestZooKeeper();
  const writer = await startWriter(settingsOf(server.address, { sessionMs }));
  defer(() => writer.close());
  const locks = Array.from({ length: count }, (_, n) => `${root}/lock-${String(n).padStart(6, '0')}`);
  const nodes = new Map<string, string>();
  const set = async (lock: string, held: boolean) => {
    if (held) nodes.set(lock, await writer.enter(lock, 'lock'));
    else await writer.delete(nodes.get(lock) ?? '');
  };
  await writer.create(root);
  for (let at = 0; at < count; at += atOnce)
    await Promise.all(
      locks.slice(at, at + atOnce).map(async (lock) => {
        await writer.create(lock);
        await set(lock, true);
      }),
    );
  return {
    locks,
    keys: 2 * count,
    set,
    bare: ['bare-zookeeper.mjs', String(server.ports.client), root],
    provider: () => createZooKeeperProvider(settingsOf(server.address, { roots: [root] }), Date.now),
  };
}

export const bench: Bench = {
  title: 'ZooKeeper: a change, and 50,000 nodes',
  about: `A provider's watch beside a bare client of the same server in another process, which one recursive watch tells what was made or deleted, and which reads what was made. ${writes.few} writes to 1,000 mutexes of Curator, each to another one, 110-170 ms apart: half delete the holder's node, half make it. Time counts from sending the write to the world that the provider hands on, and to the bare client's answer; the watch shares the process that writes, and is awake for the answer to its write, while the bare client has to be woken. Then 25,000 mutexes, which are 50,000 nodes: from opening the connection to "live", beside a bare read of every node and its names, 128 at a time, ${starts} times in turn; memory after garbage was collected; ${writes.many} writes as before.`,
  excluded: 'The first 40 writes of each. Starting the server, and filling it.',
  run: async (stage) => ({
    compared: 'a bare client',
    figures: [
      ...(await wakes(await furnished(1_000, stage), stage)),
      ...(await many(await furnished(25_000, stage), stage)),
    ],
  }),
};
