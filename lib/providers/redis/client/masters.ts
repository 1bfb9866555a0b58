/** Finds the masters of a Redis, as its servers or sentinels report them. */
import { ProblemError } from '@/lib/domain/problem';
import { failed } from './failure';
import { listOf, openNode, type RedisNode, type Reply, textOf } from './node';
import type { Endpoint, RedisSettings } from './settings';
import { slotsCount } from './slot';

/** Servers to ask. A server that the operator named may be gone while the rest of its cluster continues. */
export interface Seeds {
  /**
   * The one that answered last comes first, because one that drops packets costs seconds each time. Those that failed
   * come last.
   */
  all(): readonly Endpoint[];
  saw(endpoints: readonly Endpoint[]): void;
  answered(endpoint: Endpoint): void;
  /**
   * The server did not answer. Without `endpoint`: the masters that the last answer named cannot be used, because a
   * server that is cut off from the others names old ones.
   */
  failed(endpoint?: Endpoint): void;
}

const isSame = (a: Endpoint, b: Endpoint | null): boolean => a.host === b?.host && a.port === b.port;

export function createSeeds({ endpoints }: Pick<RedisSettings, 'endpoints'>): Seeds {
  let seen: readonly Endpoint[] = [];
  let last: Endpoint | null = null;
  /** The latest failure is at the end, so that each gets its turn. */
  let failed: readonly Endpoint[] = [];
  const isIn = (all: readonly Endpoint[]) => (one: Endpoint) => all.some((other) => isSame(one, other));
  return {
    all: () => {
      const all = [...endpoints, ...seen];
      const late = failed.filter(isIn(all));
      const order = [...all.filter((one) => !isIn(late)(one)), ...late];
      const isLast = (one: Endpoint) => isSame(one, last);
      return [...order.filter(isLast), ...order.filter((one) => !isLast(one))];
    },
    saw: (servers) => {
      seen = servers.filter((one) => !isIn(endpoints)(one));
      failed = failed.filter(isIn([...endpoints, ...seen]));
    },
    answered: (endpoint) => {
      last = endpoint;
    },
    failed: (endpoint = last ?? undefined) => {
      if (endpoint === undefined) return;
      failed = [...failed.filter((one) => !isSame(one, endpoint)), endpoint];
      if (isSame(endpoint, last)) last = null;
    },
  };
}

export interface Asking {
  readonly settings: RedisSettings;
  readonly seeds: Seeds;
  readonly signal: AbortSignal;
}

/** The masters and their slots. `sign` stays equal while nothing changes. */
export interface Plan {
  readonly endpoints: readonly [Endpoint, ...Endpoint[]];
  /** The place among `endpoints` for each slot; `null`: one master has all slots. */
  readonly owners: Int16Array | null;
  readonly sign: string;
}

export const noMaster = (name: string) =>
  failed({ code: 'unavailable', why: { code: 'redis-no-master', facts: { name } } });
export const clusterDown = () =>
  failed({ code: 'unavailable', why: { code: 'redis-cluster-down', facts: {} } });

/** Asks the servers in turn until one answers. Throws the failure of the last one. */
async function askFirst<T>(
  { settings, seeds, signal }: Asking,
  ask: (node: RedisNode, endpoint: Endpoint) => Promise<T>,
  sign: Pick<RedisSettings, 'user' | 'password'> = settings,
): Promise<T> {
  let last: unknown = null;
  for (const endpoint of seeds.all()) {
    try {
      const node = await openNode({ endpoint, settings: { ...settings, ...sign, database: 0 }, signal });
      try {
        const answer = await ask(node, endpoint);
        seeds.answered(endpoint);
        return answer;
      } finally {
        node.close();
      }
    } catch (error) {
      // One that only refuses the sign-in is asked again, with the password.
      if (error instanceof ProblemError && error.problem.code === 'unavailable') seeds.failed(endpoint);
      last = error;
    }
  }
  throw last;
}

async function masterOf(options: Asking, name: string): Promise<Plan> {
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

/** A server that does not know its own name means the one that was queried. `null`: the name has no known form. */
function endpointIn(server: Reply, queried: Endpoint): Endpoint | null {
  const [named, port] = listOf(server);
  const host = textOf(named);
  return typeof port === 'number' ? { host: host === '' || host === '?' ? queried.host : host, port } : null;
}

/** The plan in an answer of `CLUSTER SLOTS`. `seeds` receives every server in it, replicas included. */
export function planOfSlots(reply: Reply, queried: Endpoint, seeds: Seeds): Plan {
  const endpoints: Endpoint[] = [];
  const all: Endpoint[] = [];
  const owners = new Int16Array(slotsCount).fill(-1);
  const signs: string[] = [];
  for (const range of listOf(reply)) {
    const [from, to, ...servers] = listOf(range);
    const [master, ...replicas] = servers.flatMap((server) => endpointIn(server, queried) ?? []);
    if (typeof from !== 'number' || typeof to !== 'number' || master === undefined) continue;
    const { host, port } = master;
    all.push(master, ...replicas);
    let place = endpoints.findIndex((one) => one.host === host && one.port === port);
    if (place < 0) place = endpoints.push({ host, port }) - 1;
    owners.fill(place, from, to + 1);
    signs.push(`${from}-${to} ${host} ${port}`);
  }
  const [first, ...others] = endpoints;
  if (first === undefined) throw clusterDown();
  seeds.saw(all);
  return { endpoints: [first, ...others], owners, sign: signs.sort().join('\n') };
}

export async function planOf(options: Asking): Promise<Plan> {
  const { topology, endpoints } = options.settings;
  if (topology.kind === 'sentinel') return masterOf(options, topology.master);
  if (topology.kind === 'cluster')
    return askFirst(options, async (node, endpoint) =>
      planOfSlots(await node.call(['CLUSTER', 'SLOTS']), endpoint, options.seeds),
    );
  return { endpoints, owners: null, sign: '' };
}
