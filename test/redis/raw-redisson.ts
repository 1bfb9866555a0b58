/** What Redisson 4.7 sends, without the library: its scripts, for clients by the hundred. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { RedisServer } from '@/test/support/redis';

type Call = RedisServer['call'];

export interface RawClient {
  readonly client: string;
  /** `uuid:threadId` of a thread. */
  party(thread: number): string;
  /** True: it holds. False: another one does. A fair lock's caller is in the queue then. */
  lock(kind: RawLock, name: string, party: string, leaseMs: number): Promise<boolean>;
  /** False: it held nothing any more. */
  unlock(kind: RawLock, name: string, party: string): Promise<boolean>;
  /** Out of a fair lock's queue. */
  leave(name: string, party: string): Promise<void>;
  /** Ids in hexadecimal; `null`: too few are free. */
  acquire(name: string, permits: number, endsMs: number): Promise<readonly string[] | null>;
  /** False: it was no longer there. */
  release(name: string, id: string): Promise<boolean>;
  take(name: string, permits: number): Promise<boolean>;
  give(name: string, permits: number): Promise<void>;
}

export type RawLock = 'lock' | 'fenced' | 'fair' | 'read' | 'write';

const waitMs = 300_000;

const scripts = {
  lock: `if ((redis.call('exists', KEYS[1]) == 0) or (redis.call('hexists', KEYS[1], ARGV[2]) == 1)) then redis.call('hincrby', KEYS[1], ARGV[2], 1); redis.call('pexpire', KEYS[1], ARGV[1]); return nil; end; return redis.call('pttl', KEYS[1]);`,
  fenced: `if (redis.call('exists', KEYS[1]) == 0 or (redis.call('hexists', KEYS[1], ARGV[2]) == 1)) then redis.call('incr', KEYS[2]);redis.call('hincrby', KEYS[1], ARGV[2], 1); redis.call('pexpire', KEYS[1], ARGV[1]); return nil; end; return redis.call('pttl', KEYS[1]);`,
  fair: `while true do local firstThreadId2 = redis.call('lindex', KEYS[2], 0);if firstThreadId2 == false then break;end;local timeout = redis.call('zscore', KEYS[3], firstThreadId2);if timeout ~= false and tonumber(timeout) <= tonumber(ARGV[4]) then redis.call('zrem', KEYS[3], firstThreadId2);redis.call('lpop', KEYS[2]);else break;end;end;if (redis.call('exists', KEYS[1]) == 0) and ((redis.call('exists', KEYS[2]) == 0) or (redis.call('lindex', KEYS[2], 0) == ARGV[2])) then redis.call('lpop', KEYS[2]);redis.call('zrem', KEYS[3], ARGV[2]);local keys = redis.call('zrange', KEYS[3], 0, -1);for i = 1, #keys, 1 do redis.call('zincrby', KEYS[3], -tonumber(ARGV[3]), keys[i]);end;redis.call('hset', KEYS[1], ARGV[2], 1);redis.call('pexpire', KEYS[1], ARGV[1]);return nil;end;if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then redis.call('hincrby', KEYS[1], ARGV[2],1);redis.call('pexpire', KEYS[1], ARGV[1]);return nil;end;local timeout = redis.call('zscore', KEYS[3], ARGV[2]);if timeout ~= false then local ttl = redis.call('pttl', KEYS[1]);return math.max(0, ttl); end;local lastThreadId = redis.call('lindex', KEYS[2], -1);local ttl;if lastThreadId ~= false and lastThreadId ~= ARGV[2] and redis.call('zscore', KEYS[3], lastThreadId) ~= false then ttl = tonumber(redis.call('zscore', KEYS[3], lastThreadId)) - tonumber(ARGV[4]);else ttl = redis.call('pttl', KEYS[1]);end;local timeout = ttl + tonumber(ARGV[3]) + tonumber(ARGV[4]);if redis.call('zadd', KEYS[3], timeout, ARGV[2]) == 1 then redis.call('rpush', KEYS[2], ARGV[2]);end;return ttl;`,
  read: `local mode = redis.call('hget', KEYS[1], 'mode'); if (mode == false) then redis.call('hset', KEYS[1], 'mode', 'read'); redis.call('hset', KEYS[1], ARGV[2], 1); redis.call('set', KEYS[2] .. ':1', 1); redis.call('pexpire', KEYS[2] .. ':1', ARGV[1]); redis.call('pexpire', KEYS[1], ARGV[1]); return nil; end; if (mode == 'read') or (mode == 'write' and redis.call('hexists', KEYS[1], ARGV[3]) == 1) then local ind = redis.call('hincrby', KEYS[1], ARGV[2], 1); local key = KEYS[2] .. ':' .. ind;redis.call('set', key, 1); redis.call('pexpire', key, ARGV[1]); local remainTime = redis.call('pttl', KEYS[1]); redis.call('pexpire', KEYS[1], math.max(remainTime, ARGV[1])); return nil; end;return redis.call('pttl', KEYS[1]);`,
  write: `local mode = redis.call('hget', KEYS[1], 'mode'); if (mode == false) then redis.call('hset', KEYS[1], 'mode', 'write'); redis.call('hset', KEYS[1], ARGV[2], 1); redis.call('pexpire', KEYS[1], ARGV[1]); return nil; end; if (mode == 'write') then if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then redis.call('hincrby', KEYS[1], ARGV[2], 1); local currentExpire = redis.call('pttl', KEYS[1]); redis.call('pexpire', KEYS[1], currentExpire + ARGV[1]); return nil; end; end;return redis.call('pttl', KEYS[1]);`,
} as const;

/** Without the latch of a retried call, which nothing here reads. */
const unlocks = {
  lock: `if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then return nil;end; local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1); if (counter > 0) then redis.call('pexpire', KEYS[1], ARGV[2]); return 0; else redis.call('del', KEYS[1]); redis.call('publish', KEYS[2], ARGV[1]); return 1; end;`,
  fair: `while true do local firstThreadId2 = redis.call('lindex', KEYS[2], 0);if firstThreadId2 == false then break;end; local timeout = redis.call('zscore', KEYS[3], firstThreadId2);if timeout ~= false and tonumber(timeout) <= tonumber(ARGV[4]) then redis.call('zrem', KEYS[3], firstThreadId2); redis.call('lpop', KEYS[2]); else break;end; end;if (redis.call('exists', KEYS[1]) == 0) then local nextThreadId = redis.call('lindex', KEYS[2], 0); if nextThreadId ~= false then redis.call('publish', KEYS[4] .. ':' .. nextThreadId, ARGV[1]); end; return 'nobody'; end;if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then return nil;end; local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1); if (counter > 0) then redis.call('pexpire', KEYS[1], ARGV[2]); return 0; end; redis.call('del', KEYS[1]); local nextThreadId = redis.call('lindex', KEYS[2], 0); if nextThreadId ~= false then redis.call('publish', KEYS[4] .. ':' .. nextThreadId, ARGV[1]); end; return 1;`,
  read: `local mode = redis.call('hget', KEYS[1], 'mode'); if (mode == false) then redis.call('publish', KEYS[2], ARGV[1]); return nil; end; local lockExists = redis.call('hexists', KEYS[1], ARGV[2]); if (lockExists == 0) then return nil;end; local counter = redis.call('hincrby', KEYS[1], ARGV[2], -1); if (counter == 0) then redis.call('hdel', KEYS[1], ARGV[2]); end;redis.call('del', KEYS[3] .. ':' .. (counter+1)); if (redis.call('hlen', KEYS[1]) > 1) then local maxRemainTime = -3; local keys = redis.call('hkeys', KEYS[1]); for n, key in ipairs(keys) do counter = tonumber(redis.call('hget', KEYS[1], key)); if type(counter) == 'number' then for i=counter, 1, -1 do local remainTime = redis.call('pttl', KEYS[4] .. ':' .. key .. ':rwlock_timeout:' .. i); maxRemainTime = math.max(remainTime, maxRemainTime);end; end; end; if maxRemainTime > 0 then redis.call('pexpire', KEYS[1], maxRemainTime); return 0; end;if mode == 'write' then return 0;end; end; redis.call('del', KEYS[1]); redis.call('publish', KEYS[2], ARGV[1]); return 1;`,
  write: `local mode = redis.call('hget', KEYS[1], 'mode'); if (mode == false) then redis.call('publish', KEYS[2], ARGV[1]); return nil; end;if (mode == 'write') then local lockExists = redis.call('hexists', KEYS[1], ARGV[3]); if (lockExists == 0) then return nil;else local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1); if (counter > 0) then redis.call('pexpire', KEYS[1], ARGV[2]); return 0; else redis.call('hdel', KEYS[1], ARGV[3]); if (redis.call('hlen', KEYS[1]) == 1) then redis.call('del', KEYS[1]); redis.call('publish', KEYS[2], ARGV[1]); else redis.call('hset', KEYS[1], 'mode', 'read'); end; return 1; end; end; end; return nil;`,
} as const;

const leaveQueue = `local queue = redis.call('lrange', KEYS[1], 0, -1);local i = 1;while i <= #queue and queue[i] ~= ARGV[1] do i = i + 1;end;i = i + 1;while i <= #queue do redis.call('zincrby', KEYS[2], -tonumber(ARGV[2]), queue[i]);i = i + 1;end;redis.call('zrem', KEYS[2], ARGV[1]);redis.call('lrem', KEYS[1], 0, ARGV[1]);`;
const acquirePermits = `local expiredIds = redis.call('zrangebyscore', KEYS[2], 0, ARGV[3], 'limit', 0, ARGV[1]); if #expiredIds > 0 then redis.call('zrem', KEYS[2], unpack(expiredIds)); local value = redis.call('incrby', KEYS[1], #expiredIds); if tonumber(value) > 0 then redis.call('publish', KEYS[3], value); end;end; local value = redis.call('get', KEYS[1]); if (value ~= false and tonumber(value) >= tonumber(ARGV[1])) then redis.call('decrby', KEYS[1], ARGV[1]); for i = 6, #ARGV, 1 do redis.call('zadd', KEYS[2], ARGV[2], ARGV[i]); end; local ttl = redis.call('pttl', KEYS[1]); if ttl > 0 then redis.call('pexpire', KEYS[2], ttl); end; return 'OK'; end; return nil;`;
const releasePermit = `local expire = redis.call('zscore', KEYS[3], ARGV[1]);local removed = redis.call('zrem', KEYS[3], ARGV[1]);if tonumber(removed) ~= 1 then return 0;end;local value = redis.call('incrby', KEYS[1], ARGV[2]); redis.call('publish', KEYS[2], value); return 1;`;
const takePermits = `local value = redis.call('get', KEYS[1]); if (value ~= false and tonumber(value) >= tonumber(ARGV[1])) then local val = redis.call('decrby', KEYS[1], ARGV[1]); return 1; end; return 0;`;
const givePermits = `local value = redis.call('incrby', KEYS[1], ARGV[1]); redis.call('publish', KEYS[2], value);`;

const channelOf = (kind: RawLock, name: string) =>
  kind === 'read' || kind === 'write' ? `redisson_rwlock:{${name}}` : `redisson_lock__channel:{${name}}`;
const queueKeys = (name: string) => [`redisson_lock_queue:{${name}}`, `redisson_lock_timeout:{${name}}`];

export function rawClient(call: Call): RawClient {
  const client = randomUUID();
  const run = (script: string, keys: readonly string[], args: readonly (string | number | Buffer)[]) =>
    call(
      'EVAL',
      script,
      keys.length,
      ...keys,
      ...args.map((one) => (typeof one === 'number' ? String(one) : one)),
    );
  const holds = (name: string, party: string) => `{${name}}:${party}:rwlock_timeout`;
  return {
    client,
    party: (thread) => `${client}:${thread}`,
    lock: async (kind, name, party, leaseMs) => {
      const [queue = '', times = ''] = queueKeys(name);
      const writer = `${party}:write`;
      const reply =
        kind === 'fair'
          ? await run(scripts.fair, [name, queue, times], [leaseMs, party, waitMs, Date.now()])
          : kind === 'fenced'
            ? await run(scripts.fenced, [name, `redisson_lock_token:{${name}}`], [leaseMs, party])
            : kind === 'read'
              ? await run(scripts.read, [name, holds(name, party)], [leaseMs, party, writer])
              : await run(scripts[kind], [name], [leaseMs, kind === 'write' ? writer : party]);
      return reply === null;
    },
    unlock: async (kind, name, party) => {
      const channel = channelOf(kind, name);
      const [queue = '', times = ''] = queueKeys(name);
      switch (kind) {
        case 'fair': {
          const reply = await run(
            unlocks.fair,
            [name, queue, times, channel],
            ['0', 30_000, party, Date.now()],
          );
          return reply !== null && reply !== 'nobody';
        }
        case 'read': {
          const keys = [name, channel, holds(name, party), `{${name}}`];
          return (await run(unlocks.read, keys, ['0', party])) !== null;
        }
        case 'write':
          return (await run(unlocks.write, [name, channel], ['1', 30_000, `${party}:write`])) !== null;
        default:
          return (await run(unlocks.lock, [name, channel], ['0', 30_000, party])) !== null;
      }
    },
    leave: async (name, party) => {
      await run(leaveQueue, queueKeys(name), [party, waitMs]);
    },
    acquire: async (name, permits, endsMs) => {
      const ids = Array.from({ length: permits }, () => randomBytes(16));
      const keys = [name, `{${name}}:timeout`, `redisson_sc:{${name}}`];
      const reply = await run(acquirePermits, keys, [permits, endsMs, Date.now(), '', '', ...ids]);
      return reply === null ? null : ids.map((id) => id.toString('hex'));
    },
    release: async (name, id) => {
      const keys = [name, `redisson_sc:{${name}}`, `{${name}}:timeout`];
      return (await run(releasePermit, keys, [Buffer.from(id, 'hex'), 1, Date.now()])) === 1;
    },
    take: async (name, permits) => (await run(takePermits, [name], [permits])) === 1,
    give: async (name, permits) => {
      await run(givePermits, [name, `redisson_sc:{${name}}`], [permits]);
    },
  };
}
