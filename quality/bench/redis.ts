/** Redis: from a client's write to the published change, beside a bare tracking client; and 50,000 locks. */
import { randomUUID } from 'node:crypto';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { startTestRedis } from '@/test/support/redis';
import { type Ground, many, starts, wakes, writes } from './backend';
import type { Bench } from './figure';

const prefix = 'bench:';
const leaseMs = 60 * 60_000;
const atOnce = 1_000;
/** The writes of Redisson's scripts that take and release a lock. */
const take = "redis.call('hset', KEYS[1], ARGV[1], 1) redis.call('pexpire', KEYS[1], ARGV[2])";
const drop =
  "redis.call('del', KEYS[1]) redis.call('publish', 'redisson_lock__channel:{' .. KEYS[1] .. '}', '0')";

async function furnished(count: number): Promise<Ground> {
  const redis = await startTestRedis();
  const locks = Array.from({ length: count }, (_, n) => `${prefix}lock-${String(n).padStart(6, '0')}`);
  const clients = Array.from({ length: Math.ceil(count / 25) }, () => randomUUID());
  const holders = new Map(locks.map((lock, n) => [lock, `${clients[Math.floor(n / 25)]}:${n}`]));
  const set = (lock: string, held: boolean) =>
    held
      ? redis.call('EVAL', take, 1, lock, holders.get(lock) ?? '', leaseMs)
      : redis.call('EVAL', drop, 1, lock);
  for (let at = 0; at < count; at += atOnce)
    await Promise.all(locks.slice(at, at + atOnce).map((lock) => set(lock, true)));
  const [source] = readSources({
    SIGNALBOX_SOURCES: `redis://${redis.address}?prefixes=${encodeURIComponent(prefix)}`,
  });
  if (source === undefined) throw new Error('There is no source.');
  const settings = redisSource(source);
  return {
    locks,
    keys: count,
    set,
    bare: ['bare-redis.mjs', String(redis.port), prefix],
    provider: () => createRedisBackend({ settings, now: Date.now }).provider(null),
  };
}

export const bench: Bench = {
  title: 'Redis: a change, and 50,000 locks',
  about: `A provider's watch beside a bare client of the same server in another process, which \`CLIENT TRACKING\` tells what was written, and which then reads that key again (\`HGETALL\`, \`PTTL\`). ${writes.few} writes to 1,000 plain locks of Redisson, each to another one, 110-170 ms apart: half let it go, half take it, as Redisson's scripts do. Time counts from sending the write to the world that the provider hands on, and to the bare client's answer; the watch shares the process that writes, and is awake for the answer to its write, while the bare client has to be woken. Then 50,000 locks with leases of an hour: from opening the connection to "live", beside a bare \`SCAN\` of the prefix that reads each key in the same way, ${starts} times in turn; memory after garbage was collected; ${writes.many} writes as before.`,
  excluded: 'The first 40 writes of each. Starting the server, and filling it.',
  run: async (stage) => ({
    compared: 'a bare client',
    figures: [
      ...(await wakes(await furnished(1_000), stage)),
      ...(await many(await furnished(50_000), stage)),
    ],
  }),
};
