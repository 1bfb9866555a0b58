/**
 * Tools to make situations on a real Redis: clients of Redisson in processes of their own, one of which is killed.
 * Nothing here knows Signalbox's claims.
 */
import { noRedis, startTestRedis, type TestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson, type TestRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';

export interface RedisStage {
  readonly redis: TestRedis;
  /** Two clients that live on. */
  readonly one: TestRedisson;
  readonly two: TestRedisson;
  /** The client that a turn kills with -9. */
  readonly doomed: TestRedisson;
  /** Waits until exactly this many clients listen on a channel. */
  listen(channel: string, clients: number): Promise<void>;
  /** True when the server has the key. */
  has(key: string): Promise<boolean>;
}

/** Longer than any look at a row, and never renewed by a watchdog. */
export const leaseMs = 600_000;
/**
 * A third of this is the interval of renewals. Without one, half of it is overdue, which exceeds any delay of a loaded
 * machine. The other half leaves time for a look.
 */
const watchdogMs = 24_000;

/** A second source, whose user may read only names with this prefix, and not ask for listeners. */
export const narrow = 'narrow';
export const narrowPrefix = 'seen:';
/** The prefix that is configured for locks of node-redlock. */
export const redlockPrefix = 'red:';
/** A name that is configured as a semaphore of three. */
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
