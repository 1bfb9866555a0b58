/**
 * Tools to make situations on a real ZooKeeper: clients of Curator in processes of their own, one of which is killed, and a bare
 * client for nodes that no recipe makes. Nothing here knows what Signalbox will say of it.
 */
import { startCurator, type TestCurator } from '@/test/support/curator';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper, type ZooKeeperServer } from '@/test/support/zookeeper';
import { settingsOf, startWriter, type Writer } from '@/test/zookeeper/writer';

export interface ZooKeeperStage {
  readonly server: ZooKeeperServer;
  /** Two clients that live. */
  readonly one: TestCurator;
  readonly two: TestCurator;
  /** It is killed with -9 when a turn says so. */
  readonly doomed: TestCurator;
  readonly writer: Writer;
  /** Names of the nodes below a path in the order of their numbers; `null`: there is no such node. */
  entries(path: string): Promise<readonly string[] | null>;
  /** The same, once there are so many. */
  entriesWhen(path: string, count: number): Promise<readonly string[]>;
}

/** What the source `zk` watches, with the page of its server. */
export const root = '/truth';
/** Watched by a second source on the same server, which names no page. */
export const bare = 'bare';
export const bareRoot = '/bare';
/** Of the one semaphore that is configured with a shared count. */
export const shared = { path: `${root}/shared`, count: `${root}/shared-limit` };
/** Seen to be silent, asked for every five seconds or more, long before it is over. */
const doomedSessionMs = 20_000;

export const noZooKeeperStage = noZooKeeper;

const bySequence = (a: string, b: string) => (a.slice(-10) < b.slice(-10) ? -1 : 1);

export async function setZooKeeperStage(): Promise<{
  readonly stage: ZooKeeperStage;
  /** Signalbox's settings. */
  readonly env: Readonly<Record<string, string>>;
  end(): Promise<void>;
}> {
  const server = await startTestZooKeeper({
    admin: true,
    // How soon a container that is empty is deleted.
    system: { 'znode.container.checkIntervalMs': '500' },
  });
  const [one, two, doomed, writer] = await Promise.all([
    // A machine that is busy must not end them.
    startCurator(server.address, { sessionMs: 40_000 }),
    startCurator(server.address, { sessionMs: 40_000 }),
    startCurator(server.address, { sessionMs: doomedSessionMs }),
    startWriter(settingsOf(server.address)),
  ]);
  const looks = one.thread('looks');
  const entries: ZooKeeperStage['entries'] = async (path) => {
    const names = await looks.node(path).children();
    return names === null ? null : [...names].sort(bySequence);
  };
  const stage: ZooKeeperStage = {
    server,
    one,
    two,
    doomed,
    writer,
    entries,
    entriesWhen: (path, count) =>
      until(
        async () => {
          // ZooKeeper deletes a container node that is empty, within a minute.
          const names = (await entries(path)) ?? (count === 0 ? [] : null);
          return names !== null && names.length === count && names;
        },
        { what: `${count} nodes below ${path}`, timeoutMs: 45_000 },
      ),
  };
  const sources = [
    `zookeeper://${server.address}/?id=zk&title=ZooKeeper&prefixes=${root}/&admin=${server.admin}&counts=${shared.path}:${shared.count}`,
    `zookeeper://${server.address}/?id=${bare}&title=Bare&prefixes=${bareRoot}/`,
  ];
  for (const path of [root, bareRoot]) await writer.create(path);
  return {
    stage,
    env: { SIGNALBOX_SOURCES: sources.join(' ') },
    end: async () => {
      await writer.close();
      for (const client of [one, two, doomed]) await client.kill9();
      await server.stop();
    },
  };
}
