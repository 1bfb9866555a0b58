/**
 * The manual commands of an action: one `EVAL` for `redis-cli`, with some of the conditions. An action that needs a
 * long script has none.
 */
import type { ManualStep } from '@/lib/domain/actions/plan';
import { quoted } from '@/lib/domain/by-hand/command';
import { lockChannel, semaphoreChannel } from '@/lib/providers/redis/client/names';
import type { ActContext } from './act';
import type { LimitSeen, ReturnSeen } from './limit';
import type { PermitSeen } from './permits';
import { lockKeys, semaphoreKeys } from './reading';
import type { HoldSeen } from './release';
import type { WaiterSeen } from './waiter';

type Cli = Pick<ActContext, 'cli' | 'server'>;

/** `$tell` stands for the command that publishes, which differs in a cluster. */
function evaluated(
  { cli, server }: Cli,
  script: string,
  keys: readonly string[],
  args: readonly string[],
): ManualStep[] {
  if (cli === null) return [];
  const text = script.replaceAll('$tell', server.inCluster ? 'spublish' : 'publish').replaceAll(/\s+/g, ' ');
  const command = [cli, 'EVAL', quoted(text.trim()), String(keys.length), ...[...keys, ...args].map(quoted)];
  return [{ tool: 'redis-cli', note: { code: 'redis-script', facts: {} }, command: command.join(' ') }];
}

const noStep: ManualStep[] = [];

/** `isQueued`: the release must first remove dead heads of the queue, which takes the whole script. */
export function releasing(
  cli: Cli,
  { key, holder, kind, count, token }: HoldSeen,
  isQueued: boolean,
): ManualStep[] {
  if (kind === 'redlock')
    return evaluated(
      cli,
      `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`,
      [key],
      [holder],
    );
  if (kind !== 'alone' || isQueued) return noStep;
  const [name = '', , , fencing = ''] = lockKeys(key);
  return evaluated(
    cli,
    `if redis.call('hget', KEYS[1], ARGV[1]) ~= ARGV[2] or (redis.call('get', KEYS[2]) or '') ~= ARGV[3] then return 0 end
     redis.call('del', KEYS[1]) redis.call('$tell', ARGV[4], '0') return 1`,
    [name, fencing],
    [holder, count, token, lockChannel(key)],
  );
}

export function removing(cli: Cli, { key, waiter }: WaiterSeen): ManualStep[] {
  const [name = '', queue = '', times = ''] = lockKeys(key);
  return evaluated(
    cli,
    `if redis.call('lrem', KEYS[2], 0, ARGV[1]) == 0 then return 0 end redis.call('zrem', KEYS[3], ARGV[1])
     local head = redis.call('lindex', KEYS[2], 0)
     if head and redis.call('exists', KEYS[1]) == 0 then redis.call('$tell', ARGV[2] .. ':' .. head, '0') end return 1`,
    [name, queue, times],
    [waiter, lockChannel(key)],
  );
}

/** Clients before 3.17 stored the hexadecimal digits of a permit, not its bytes. */
export const evicting = (cli: Cli, { prefix, permit }: PermitSeen): ManualStep[] =>
  evaluated(
    cli,
    `local id = string.gsub(ARGV[1], '..', function(c) return string.char(tonumber(c, 16)) end)
     if redis.call('zrem', KEYS[2], id) == 0 and redis.call('zrem', KEYS[2], ARGV[1]) == 0 then return 0 end
     local free = redis.call('incr', KEYS[1]) if free > 0 then redis.call('$tell', ARGV[2], free) end return 1`,
    semaphoreKeys(prefix),
    [permit, semaphoreChannel(prefix)],
  );

export const resizing = (cli: Cli, { prefix, limit }: LimitSeen, to: number): ManualStep[] =>
  evaluated(
    cli,
    `if redis.call('get', KEYS[1]) + redis.call('zcard', KEYS[2]) ~= tonumber(ARGV[1]) then return 0 end
     local free = redis.call('incrby', KEYS[1], ARGV[2] - ARGV[1])
     if free > 0 then redis.call('$tell', ARGV[3], free) end return 1`,
    semaphoreKeys(prefix),
    [String(limit), String(to), semaphoreChannel(prefix)],
  );

export const adding = (cli: Cli, { prefix, available }: ReturnSeen, permits: number): ManualStep[] =>
  evaluated(
    cli,
    `if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
     local free = redis.call('incrby', KEYS[1], ARGV[2])
     if free > 0 then redis.call('$tell', ARGV[3], free) end return 1`,
    semaphoreKeys(prefix).slice(0, 1),
    [available, String(permits), semaphoreChannel(prefix)],
  );
