/**
 * All masters of one Redis at a time. It is as good as its weakest connection: when one breaks, all of it is closed and
 * another one is opened, which looks up anew who the masters are.
 */
import type { Problem } from '@/lib/domain/problem';
import { failed, hasMoved, problemOfAnswer } from './failure';
import { type CallOptions, type Command, openNode, type RedisNode, Refused, type Reply } from './node';
import type { Endpoint, RedisSettings } from './settings';
import { slotOf } from './slot';

export interface Link {
  /** In a cluster, Redisson's clients listen on sharded channels. */
  readonly clustered: boolean;
  /** Every master, the first one first; at least one. */
  readonly nodes: readonly RedisNode[];
  /** The master of a key. Throws a `ProblemError` where no server has its slot. */
  nodeOf(key: string | Buffer): RedisNode;
  /** Throws a `ProblemError` where the masters are others than those of this link. */
  verify(): Promise<void>;
  /** Resolves with the reason once this link is of no more use. Never rejects. */
  readonly broken: Promise<Problem>;
  close(): void;
}

export interface LinkOptions {
  readonly settings: RedisSettings;
  /** See `NodeOptions`. */
  readonly onChange?: (key: Buffer | null) => void;
  readonly signal: AbortSignal;
}

/** The masters, and who has which slots. Equal texts of `sign`: nothing has changed. */
interface Plan {
  readonly endpoints: readonly [Endpoint, ...Endpoint[]];
  /** By slot, the place among `endpoints`; `null`: one has all. */
  readonly owners: Int16Array | null;
  readonly sign: string;
}

const textOf = (reply: Reply | undefined): string =>
  Buffer.isBuffer(reply) ? reply.toString('utf8') : typeof reply === 'string' ? reply : '';
const listOf = (reply: Reply | undefined): readonly Reply[] =>
  Array.isArray(reply) ? (reply as readonly Reply[]) : [];

const noMaster = (name: string) =>
  failed({ code: 'unavailable', why: { code: 'redis-no-master', facts: { name } } });
const clusterDown = () => failed({ code: 'unavailable', why: { code: 'redis-cluster-down', facts: {} } });
const moved = () => failed({ code: 'unavailable', why: { code: 'redis-moved', facts: {} } });

/** Asks the servers in turn until one answers. Throws what the last one failed by. */
async function askFirst<T>(
  { settings, signal }: LinkOptions,
  ask: (node: RedisNode, endpoint: Endpoint) => Promise<T>,
  sign: Pick<RedisSettings, 'user' | 'password'> = settings,
): Promise<T> {
  let last: unknown = null;
  for (const endpoint of settings.endpoints) {
    try {
      const node = await openNode({ endpoint, settings: { ...settings, ...sign, database: 0 }, signal });
      try {
        return await ask(node, endpoint);
      } finally {
        node.close();
      }
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

async function masterOf(options: LinkOptions, name: string): Promise<Plan> {
  const ask = async (node: RedisNode) => {
    const [host, port] = listOf(await node.call(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])).map(textOf);
    if (host === undefined || port === undefined) throw noMaster(name);
    return { host, port: Number(port) };
  };
  // Sentinels seldom ask for a password, and refuse one that they do not know.
  const endpoint = await askFirst(options, ask, { user: null, password: null }).catch((error) =>
    options.settings.password === null ? Promise.reject(error) : askFirst(options, ask),
  );
  return { endpoints: [endpoint], owners: null, sign: `${endpoint.host} ${endpoint.port}` };
}

function planOfSlots(reply: Reply, asked: Endpoint): Plan {
  const endpoints: Endpoint[] = [];
  const owners = new Int16Array(16_384).fill(-1);
  const signs: string[] = [];
  for (const range of listOf(reply)) {
    const [from, to, master] = listOf(range);
    const [named, port] = listOf(master);
    if (typeof from !== 'number' || typeof to !== 'number' || typeof port !== 'number') continue;
    // A node that does not know its own name means the one that was asked.
    const host = textOf(named) === '' || textOf(named) === '?' ? asked.host : textOf(named);
    let place = endpoints.findIndex((one) => one.host === host && one.port === port);
    if (place < 0) place = endpoints.push({ host, port }) - 1;
    owners.fill(place, from, to + 1);
    signs.push(`${from}-${to} ${host} ${port}`);
  }
  const [first, ...others] = endpoints;
  if (first === undefined) throw clusterDown();
  return { endpoints: [first, ...others], owners, sign: signs.sort().join('\n') };
}

async function planOf(options: LinkOptions): Promise<Plan> {
  const { topology, endpoints } = options.settings;
  if (topology.kind === 'sentinel') return masterOf(options, topology.master);
  if (topology.kind === 'cluster')
    return askFirst(options, async (node, endpoint) =>
      planOfSlots(await node.call(['CLUSTER', 'SLOTS']), endpoint),
    );
  return { endpoints, owners: null, sign: '' };
}

/** Throws a `ProblemError` when there is no way to one of the masters. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { settings, signal, onChange } = options;
  const plan = await planOf(options);
  const opened = await Promise.allSettled(
    plan.endpoints.map((endpoint) =>
      openNode({ endpoint, settings, signal, ...(onChange === undefined ? {} : { onChange }) }),
    ),
  );
  const nodes = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const close = () => {
    for (const node of nodes) node.close();
  };
  const [first] = nodes;
  const failure = opened.find((one) => one.status === 'rejected');
  if (failure !== undefined || first === undefined) {
    close();
    throw failure?.reason ?? clusterDown();
  }
  const { kind } = settings.topology;
  if (kind === 'sentinel') {
    const [role] = listOf(await first.call(['ROLE']).catch(() => []));
    if (role !== undefined && textOf(role) !== 'master') {
      close();
      throw noMaster(settings.topology.master);
    }
  }
  const broken = Promise.race(nodes.map((node) => node.broken));
  void broken.then(close);
  return {
    clustered: kind === 'cluster',
    nodes,
    nodeOf: (key) => {
      if (plan.owners === null) return first;
      const node = nodes[plan.owners[slotOf(key)] ?? -1];
      if (node === undefined) throw clusterDown();
      return node;
    },
    verify: async () => {
      if (kind === 'single') return;
      const now =
        kind === 'cluster'
          ? planOfSlots(await first.call(['CLUSTER', 'SLOTS']), first.endpoint)
          : await planOf(options);
      if (now.sign !== plan.sign) throw moved();
    },
    broken,
    close,
  };
}

/**
 * One command about one key, for whoever acts. Throws a `ProblemError` for a refusal, too; with `writes`, a link that breaks
 * after sending is `unknown-result`.
 */
export async function callOn(
  link: Link,
  key: string | Buffer,
  command: Command,
  options: CallOptions = {},
): Promise<Reply> {
  return link.nodeOf(key).call(command, options);
}

/**
 * Throws for an answer after which this link must not be used, or that means that nothing can be read. `permits`: also what
 * Redis does not permit; else that stays in its place.
 */
export function soundOf(replies: readonly Reply[], command: string, permits: boolean): readonly Reply[] {
  for (const reply of replies) {
    if (!(reply instanceof Refused)) continue;
    const problem = problemOfAnswer(reply.message, command);
    const isDenied = problem.why?.code === 'redis-not-permitted';
    if (hasMoved(problem) || problem.code === 'busy' || (permits && isDenied)) throw failed(problem);
  }
  return replies;
}
