/**
 * Tools to make situations on a real Redis: clients of Redisson in processes of their own, one of which is killed. Nothing here
 * knows what Signalbox will say of it.
 */
import { noRedis, startTestRedis, type TestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson, type TestRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';

export interface RedisStage {
  readonly redis: TestRedis;
  /** Two clients that live. */
  readonly one: TestRedisson;
  readonly two: TestRedisson;
  /** It is killed with -9 when a turn says so. */
  readonly doomed: TestRedisson;
  /** Until exactly so many clients listen on a channel. */
  listen(channel: string, clients: number): Promise<void>;
  /** Whether the server has the key. */
  has(key: string): Promise<boolean>;
}

/** Long for all that a row looks at: it does not end meanwhile, and no watchdog renews it. */
export const leaseMs = 600_000;
/**
 * Renewed every third of it. Half of it without a renewal is overdue, which is longer than a loaded machine is late; and the other
 * half is as long as a row about that is looked at.
 */
const watchdogMs = 24_000;

/** A second source, of a user that may read the names that begin so, and not ask who listens. */
export const narrow = 'narrow';
export const narrowPrefix = 'seen:';
/** Their beginnings are configured as locks of node-redlock. */
export const redlockPrefix = 'red:';
/** Configured as a semaphore of three. */
export const pool = 'pool:db';
const password = 'truth-narrow';

const rules = [
  `user ${narrow} on >${password} &* ~${narrowPrefix}* ~{${narrowPrefix}* ~redisson_*${narrowPrefix}*`,
  '-@all +@read +@connection -keys +time +multi +exec +config|get +role',
].join(' ');

export const noRedisStage = async (): Promise<string | null> => (await noRedis()) ?? (await noRedisson());

export async function setRedisStage(): Promise<{
  readonly stage: RedisStage;
  /** Signalbox's settings. */
  readonly env: Readonly<Record<string, string>>;
  end(): Promise<void>;
}> {
  const redis = await startTestRedis({ lines: [rules] });
  const client = () => startRedisson(redis, { watchdogMs });
  const [one, two, doomed] = await Promise.all([client(), client(), client()]);
  const stage: RedisStage = {
    redis,
    one,
    two,
    doomed,
    listen: async (channel, clients) => {
      await until(async () => (await redis.call('PUBSUB', 'NUMSUB', channel))[1] === clients, {
        what: `${clients} clients listen on ${channel}`,
        timeoutMs: 45_000,
      });
    },
    has: async (key) => (await redis.call('EXISTS', key)) === 1,
  };
  const sources = [
    `redis://${redis.address}?id=redis&title=Redis&redlock=${redlockPrefix}&semaphores=${pool}:3`,
    `redis://${redis.address}?id=${narrow}&title=Narrow&prefixes=${narrowPrefix}&user=${narrow}&password-env=TRUTH_PASSWORD`,
  ];
  return {
    stage,
    env: { SIGNALBOX_SOURCES: sources.join(' '), TRUTH_PASSWORD: password },
    end: async () => {
      for (const one of [stage.one, stage.two, stage.doomed]) await one.kill9();
      redis.resume();
      await redis.stop();
    },
  };
}
