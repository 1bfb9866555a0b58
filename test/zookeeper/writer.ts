/** A bare client for tests: makes and deletes nodes as Curator does, and may stop pinging. */
import { randomUUID } from 'node:crypto';
import { isProblem } from '@/lib/domain/problem';
import type { Request } from '@/lib/providers/zookeeper/client/message';
import { createSession, type ZkSessionLine } from '@/lib/providers/zookeeper/client/session';
import type { ZkSettings } from '@/lib/providers/zookeeper/client/settings';
import { until } from '@/test/support/until';

export const settingsOf = (
  addresses: string,
  more: Partial<Omit<ZkSettings, 'servers'>> = {},
): ZkSettings => ({
  id: 'zk',
  title: 'ZooKeeper',
  servers: addresses.split(',').map((address) => {
    const [host = '', port] = address.split(':');
    return { host, port: Number(port) };
  }),
  chroot: '',
  roots: ['/'],
  tls: null,
  digest: null,
  admin: [],
  counts: new Map(),
  ...more,
});

/** `CreateMode` of the servers. */
const modes = { persistent: 0, sequential: 2, ephemeral: 1, queue: 3, container: 4 } as const;
const createContainer = 19;
const create = 1;
/** Everything for everybody, or for one user alone. */
const open = ['world', 'anyone'] as const;

const created = (
  path: string,
  data: Buffer,
  mode: keyof typeof modes,
  { whom: [scheme, id], rights }: { readonly whom: readonly [string, string]; readonly rights: number },
): Request<string> => ({
  call: 'create',
  writes: true,
  opcode: mode === 'container' ? createContainer : create,
  write: (to) => to.text(path).buffer(data).int(1).int(rights).text(scheme).text(id).int(modes[mode]),
  read: (from) => from.text(),
});

const deleted = (path: string): Request<null> => ({
  call: 'delete',
  writes: true,
  opcode: 2,
  write: (to) => to.text(path).int(-1),
  read: () => null,
});

/** Reserves the node for the credential of the session, and not what is below it. */
const reserved = (path: string): Request<null> => ({
  call: 'setACL',
  writes: true,
  opcode: 7,
  write: (to) => to.text(path).int(1).int(31).text('auth').text('').int(-1),
  read: () => null,
});

const noNode = -101;
const nodeExists = -110;

export interface Writer {
  readonly line: ZkSessionLine;
  /** In hex. */
  readonly session: string;
  /** Its path as made. Parents that are missing are made, as containers. */
  create(path: string, options?: CreateOptions): Promise<string>;
  delete(path: string): Promise<void>;
  /** Nobody without the writer's credential may read the node from now on. What is below it stays open. */
  reserve(path: string): Promise<void>;
  /** A node of a queue as Curator names it, at the end of `folder`. */
  enter(folder: string, kind: string, data?: string): Promise<string>;
  close(): Promise<void>;
}

interface CreateOptions {
  readonly data?: Buffer | string;
  readonly mode?: keyof typeof modes;
  /** Scheme and id of who may do anything with it. */
  readonly for?: readonly [string, string];
  /** What they may do: the sum of 1 (read), 2 (write), 4 (create), 8 (delete) and 16 (admin). Absent: all of it. */
  readonly rights?: number;
}

const signal = () => AbortSignal.timeout(15_000);

export async function startWriter(settings: ZkSettings): Promise<Writer> {
  const line = createSession({ settings, now: Date.now, random: Math.random });
  const end = line.listen({ link: () => {}, event: () => {} });
  const up = await until(
    () => {
      const link = line.link();
      return link.state === 'up' && link;
    },
    { what: 'the writer to be connected' },
  );
  end();
  const ask = async <T>(request: Request<T>, accepts: readonly number[] = []): Promise<T | null> => {
    const reply = await line.call(request, signal());
    if (isProblem(reply)) throw new Error(JSON.stringify(reply));
    if ('value' in reply) return reply.value;
    if (accepts.includes(reply.error)) return null;
    throw new Error(`${request.call}: ${reply.error}`);
  };
  const writer: Writer = {
    line,
    session: up.sessionId,
    create: async (path, { data = '', mode = 'persistent', for: whom = open, rights = 31 } = {}) => {
      const parent = path.slice(0, path.lastIndexOf('/'));
      const request = created(path, Buffer.from(data), mode, { whom, rights });
      const made = await ask(request, [noNode, nodeExists]);
      if (made !== null) return made;
      if (parent !== '') await writer.create(parent, { mode: 'container' });
      return (await ask(request, [nodeExists])) ?? path;
    },
    delete: async (path) => void (await ask(deleted(path), [noNode])),
    reserve: async (path) => void (await ask(reserved(path))),
    enter: (folder, kind, data = '127.0.0.1') =>
      writer.create(`${folder}/_c_${randomUUID()}-${kind}-`, { mode: 'queue', data }),
    close: () => line.close(),
  };
  return writer;
}
