/**
 * The demo's servers beside Consul: a Redis and a ZooKeeper with clients of Redisson and Curator, where everything is
 * present already. The demo fetches nothing for them; `npm test` does.
 */
import { findJava } from './java.mjs';
import { claimPorts } from './ports.mjs';
import { findRedis } from './redis.mjs';
import { namedSources } from './which-consul.mjs';

/**
 * @typedef {object} Beside
 * @property {import('./zookeeper.mjs').ZooKeeperPorts | null} zookeeper
 * @property {number | null} redis its port
 */

/** @param {() => Promise<unknown>} find */
const isHere = (find) =>
  find().then(
    () => true,
    () => false,
  );

/**
 * Finds the servers that this machine can run, and claims their ports.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Promise<Beside | null>} `null`: neither, or the operator has named the sources
 */
export async function claimBeside(env) {
  if (namedSources(env) !== null) return null;
  const fetch = false;
  const [curator, redisson, redis] = await Promise.all([
    isHere(() => findJava('curator', { fetch })),
    isHere(() => findJava('redisson', { fetch })),
    isHere(() => findRedis({ fetch })),
  ]);
  if (!curator && !(redisson && redis)) return null;
  const { ports } = await claimPorts(6);
  const [client = 0, admin = 0, quorum = 0, election = 0, secure = 0, port = 0] = ports;
  return {
    zookeeper: curator ? { client, admin, quorum, election, secure } : null,
    redis: redisson && redis ? port : null,
  };
}

/**
 * SIGNALBOX_SOURCES for Consul as its variables name it, and for these.
 * @param {Beside} beside
 */
export function sourcesWith({ redis, zookeeper }) {
  const of = {
    redis: `redis://127.0.0.1:${redis}?id=redis&title=Redis&prefixes=shop:&semaphores=shop:printers:3`,
    zookeeper:
      `zookeeper://127.0.0.1:${zookeeper?.client}?id=zookeeper&title=ZooKeeper&prefixes=/shop/` +
      `&admin=http://127.0.0.1:${zookeeper?.admin}&counts=/shop/pools/build:/shop/pools/build-limit`,
  };
  return [
    'consul://?title=Consul',
    ...(redis === null ? [] : [of.redis]),
    ...(zookeeper === null ? [] : [of.zookeeper]),
  ].join(' ');
}
