/**
 * Tools to make situations on a real ZooKeeper: clients of Curator in their own processes, one of which is killed, and
 * a bare client for nodes without a recipe. Nothing here knows Signalbox's claims.
 */
import { startCurator, type TestCurator } from '@/test/support/curator';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper, type ZooKeeperServer } from '@/test/support/zookeeper';
import { settingsOf, startWriter, type Writer } from '@/test/zookeeper/writer';

export interface ZooKeeperStage {
  readonly server: ZooKeeperServer;
  /** Two clients that live on. */
  readonly one: TestCurator;
  readonly two: TestCurator;
  /** The client that a turn kills with -9. */
  readonly doomed: TestCurator;
  readonly writer: Writer;
  /** Names of the nodes below a path in the order of their numbers; `null`: there is no such node. */
  entries(path: string): Promise<readonly string[] | null>;
  /** The same, once there are `count`. */
  entriesWhen(path: string, count: number): Promise<readonly string[]>;
}

/** The root that the source `zk` watches, with its server's page. */
export const root = '/truth';
/** The root of a second source on the same server, which names no page. */
export const bare = 'bare';
export const bareRoot = '/bare';
/** The one semaphore that is configured with a shared count. */
export const shared = { path: `${root}/shared`, count: `${root}/shared-limit` };
/** Long enough for rows, which wait five seconds or more, to see the silence before its end. */
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
    // The interval at which empty containers are deleted.
    system: { 'znode.container.checkIntervalMs': '500' },
  });
  const [one, two, doomed, writer] = await Promise.all([
    // Long enough for a busy machine.
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
          // ZooKeeper deletes an empty container node within a minute.
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
