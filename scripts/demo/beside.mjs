/**
 * The demo world beside Consul: a Redis and a ZooKeeper of its own, and clients of the real libraries that contend on
 * them. Its one argument gives the ports (`Beside` of `scripts/beside.mjs`). `SIGNALBOX_DEMO_LOG=1` logs failures.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startDriven } from '../driven.mjs';
import { startRedis } from '../redis.mjs';
import { startZooKeeper } from '../zookeeper.mjs';

/** @typedef {import('../driven.mjs').DrivenProgram} DrivenProgram */
/** @typedef {Record<string, unknown>} Command */

const end = new AbortController();
// Every actor of this process listens, which is no leak.
setMaxListeners(0, end.signal);
const leave = () => end.abort();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, leave);
process.stdin.on('end', leave).on('close', leave).on('error', leave).resume();
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** @type {(() => Promise<void>)[]} what ends with us, the last started first */
const endings = [];

const rest = (/** @type {number} */ fromS, /** @type {number} */ toS) =>
  pause((fromS + Math.random() * (toS - fromS)) * 1_000, undefined, { signal: end.signal }).catch(() => {});

/** @param {unknown} error */
const tell = (error) => {
  if (process.env.SIGNALBOX_DEMO_LOG && !end.signal.aborted)
    console.error(`demo: ${error instanceof Error ? error.message : error}`);
};

/**
 * Repeats `act` until the end. An operator who takes a lock away fails its round, which belongs to a demo.
 * @param {() => Promise<unknown>} act
 */
async function again(act) {
  while (!end.signal.aborted) {
    await act().catch(async (error) => {
      tell(error);
      await rest(2, 3);
    });
  }
}

/**
 * A thread that takes a lock or permits, keeps them for a while, lets go and rests.
 * @param {DrivenProgram} client
 * @param {string} thread
 * @param {{ take: Command, keepS?: [number, number], restS?: [number, number] }} habit
 */
const contend = (client, thread, { take, keepS = [4, 12], restS = [1, 4] }) =>
  again(async () => {
    const got = await client.ask(thread, { op: 'acquire', ...take });
    await rest(...keepS);
    // Semaphores take back the ids of permits, or nodes.
    const taken = Array.isArray(got) ? (take.kind === 'permits' ? { ids: got } : { nodes: got }) : {};
    await client.ask(thread, { op: 'release', ...take, ...taken });
    await rest(...restS);
  });

/** @param {number} port */
async function onRedis(port) {
  const redis = await startRedis({ port });
  endings.push(redis.stop);
  const settings = { mode: 'single', addresses: [`redis://${redis.address}`] };
  const client = await startDriven('redisson', settings);
  endings.push(client.kill9);
  const printers = { kind: 'semaphore', name: 'shop:printers' };
  const licences = { kind: 'permits', name: 'shop:licences' };
  await client.ask('set', { op: 'set', ...printers, permits: 3 });
  await client.ask('set', { op: 'set', ...licences, permits: 3 });
  // A client that is killed with its permits, which no lease ends.
  const doomed = await startDriven('redisson', settings);
  endings.push(doomed.kill9);
  await doomed.ask('a', { op: 'acquire', ...printers, permits: 2 });
  await doomed.ask('a', { op: 'acquire', ...licences });
  // The doomed client also waits in a fair queue, and blocks the waiters behind it when the lock is free.
  const returns = { kind: 'fair', name: 'shop:returns' };
  await client.ask('returns', { op: 'acquire', ...returns });
  doomed.ask('b', { op: 'acquire', ...returns }).catch(() => {});
  while (!end.signal.aborted && (await redis.call('LLEN', 'redisson_lock_queue:{shop:returns}')) === 0)
    await rest(0.1, 0.1);
  await doomed.kill9();
  const catalogue = (/** @type {string} */ kind) => ({ kind, name: 'shop:catalogue' });
  const fair = {
    take: { kind: 'fair', name: 'shop:checkout' },
    keepS: /** @type {[number, number]} */ ([3, 8]),
  };
  const stock = { kind: 'lock', name: 'shop:stock-count' };
  await Promise.all([
    ...['invoices-1', 'invoices-2', 'invoices-3'].map((thread) =>
      contend(client, thread, { take: { kind: 'lock', name: 'shop:invoices' } }),
    ),
    ...['till-1', 'till-2', 'till-3', 'till-4'].map((thread) => contend(client, thread, fair)),
    contend(client, 'ledger', { take: { kind: 'fenced', name: 'shop:ledger', leaseMs: 60_000 } }),
    contend(client, 'reader-1', { take: catalogue('read') }),
    contend(client, 'reader-2', { take: catalogue('read') }),
    contend(client, 'editor', { take: catalogue('write'), restS: [10, 20] }),
    contend(client, 'licence-1', { take: { ...licences, leaseMs: 30_000 } }),
    contend(client, 'licence-2', { take: { ...licences, leaseMs: 30_000 } }),
    contend(client, 'licence-3', { take: { ...licences, leaseMs: 30_000 } }),
    // One hangs for ten minutes with its lock, and one waits for it.
    contend(client, 'counts', { take: stock, keepS: [600, 600], restS: [60, 60] }),
    contend(client, 'asks-count', { take: stock }),
    rest(600, 600).then(() => client.ask('returns', { op: 'release', ...returns })),
    contend(client, 'next-return', { take: returns, restS: [600, 600] }),
    // This client wants two permits, and the killed one has kept two of three.
    contend(client, 'print-run', { take: { ...printers, permits: 2 } }),
  ]);
}

/** @param {import('../zookeeper.mjs').ZooKeeperPorts} ports */
async function onZooKeeper(ports) {
  const zookeeper = await startZooKeeper({ ports, admin: true });
  endings.push(zookeeper.stop);
  const settings = { addresses: zookeeper.address, sessionMs: 10_000 };
  const [one, two] = await Promise.all([startDriven('curator', settings), startDriven('curator', settings)]);
  endings.push(one.kill9, two.kill9);
  const limit = '/shop/pools/build-limit';
  await one.ask('set', { op: 'set', kind: 'count', path: limit, permits: 2 });
  const build = { take: { kind: 'semaphore', path: '/shop/pools/build', count: limit } };
  const deploy = { take: { kind: 'mutex', path: '/shop/locks/deploy' } };
  const catalogue = (/** @type {string} */ kind) => ({ take: { kind, path: '/shop/locks/catalogue' } });
  const migrate = { kind: 'revocable', path: '/shop/locks/migrate' };
  const leads = (/** @type {string} */ data) => ({
    take: { kind: 'latch', path: '/shop/leaders/scheduler', data },
    keepS: /** @type {[number, number]} */ ([40, 90]),
  });
  await Promise.all([
    ...[one, two].flatMap((client, n) => [
      contend(client, `deploy-${n}a`, deploy),
      contend(client, `deploy-${n}b`, deploy),
      contend(client, `build-${n}a`, build),
      contend(client, `build-${n}b`, build),
      contend(client, `read-${n}`, catalogue('read')),
      contend(client, `lead-${n}`, leads(`scheduler-${n + 1}`)),
    ]),
    contend(two, 'write', { ...catalogue('write'), restS: [10, 20] }),
    // The holder keeps its lock until it is asked for it.
    again(async () => {
      const before = one.events.length;
      await one.ask('migrates', { op: 'acquire', ...migrate });
      while (!end.signal.aborted && !one.events.slice(before).some(({ event }) => event === 'asked'))
        await rest(0.5, 0.5);
      await one.ask('migrates', { op: 'release', ...migrate });
      await rest(60, 60);
    }),
    contend(two, 'waits-to-migrate', { take: { ...migrate, kind: 'mutex' } }),
  ]);
}

/** @type {import('../beside.mjs').Beside} */
const { redis, zookeeper } = JSON.parse(process.argv[2] ?? '');
/** @param {string} name @param {Promise<unknown>} world */
const play = (name, world) =>
  world.catch((error) => {
    if (!end.signal.aborted) console.error(`The demo world on ${name} ended: ${error.message}`);
  });
if (redis !== null) void play('Redis', onRedis(redis));
if (zookeeper !== null) void play('ZooKeeper', onZooKeeper(zookeeper));
await new Promise((resolve) => {
  if (end.signal.aborted) resolve(null);
  end.signal.addEventListener('abort', resolve);
});
for (const stop of endings.reverse()) await stop().catch(tell);
process.exit(0);
