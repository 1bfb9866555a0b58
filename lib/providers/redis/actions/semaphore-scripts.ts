/**
 * The scripts of semaphores, in the manner of Redisson 4.7 (`RedissonPermitExpirableSemaphore`, `RedissonSemaphore`).
 */
import { acting, reading } from './script';

/** Permit ids are 16 raw bytes, and hexadecimal outside the server. Clients before 3.17 stored the digits. */
const hex = `
local function toHex(id)
  return (string.gsub(id, '.', function(c) return string.format('%02x', string.byte(c)) end))
end
local function endOf(id)
  if typeOf(KEYS[2]) ~= 'zset' then return nil end
  local raw = string.gsub(id, '..', function(c) return string.char(tonumber(c, 16)) end)
  local untilMs = redis.call('zscore', KEYS[2], raw)
  if untilMs then return untilMs, raw end
  return redis.call('zscore', KEYS[2], id) or nil, id
end
`;

/**
 * Publishes the number of free permits when it is positive. A client wakes as many threads as the message says, and
 * throws on a negative number (`SemaphorePubSub`).
 */
const announce = `
local function announce(channel, available) if available > 0 then tell(channel, available) end end
`;

const isPermits = `
local function isPermits()
  return typeOf(KEYS[1]) == 'string' and (typeOf(KEYS[2]) == 'zset' or typeOf(KEYS[2]) == 'none')
end
`;

/**
 * Reads a semaphore. `KEYS`: name, permits. `ARGV`: 3 the channel, 4 most permits to list. Answers the server's time,
 * type, value, end, the numbers of permits, of expired ones and of listeners, and the permits with their ends, the
 * earliest first.
 */
export const readSemaphore = reading(
  `{'type', KEYS[1]}, {'time'}, {'getrange', KEYS[1], 0, 1}, {'pexpiretime', KEYS[1]}, {'zcard', KEYS[2]},
    {'zcount', KEYS[2], 0, 1}, {'zrange', KEYS[2], 0, 1}`,
  `${hex}
local kind, kept, nowMs = typeOf(KEYS[1]), typeOf(KEYS[2]), timeMs()
local value = kind == 'string' and redis.call('getrange', KEYS[1], 0, 64) or ''
local count, expired, permits = 0, 0, {}
if kept == 'zset' then
  count = redis.call('zcard', KEYS[2])
  expired = redis.call('zcount', KEYS[2], '-inf', nowMs)
  permits = redis.call('zrange', KEYS[2], 0, tonumber(ARGV[4]) - 1, 'withscores')
  for i = 1, #permits, 2 do permits[i] = toHex(permits[i]) end
end
return {nowMs, kind, value, redis.call('pexpiretime', KEYS[1]), count, expired, listeners(ARGV[3]), permits}
`,
);

/**
 * Reads one permit. `KEYS` as above. `ARGV`: 3 the permit's id, as hexadecimal. Answers its end; '' where there is
 * none.
 */
export const readPermit = reading(
  `{'type', KEYS[2]}, {'zscore', KEYS[2], ''}`,
  `${hex}
return text(endOf(ARGV[3]))
`,
);

const permitCommands = `{'type', KEYS[1]}, {'time'}, {'get', KEYS[1]}, {'incrby', KEYS[1], 1}, {'zscore', KEYS[2], ''},
    {'zcard', KEYS[2]}, {'zrem', KEYS[2], ''}`;

/**
 * Evicts one permit. `ARGV`: 3 the id, 4 the channel. Ids never recur, so the id is the whole condition. Answers the
 * number of free permits.
 */
export const evictPermit = acting(
  permitCommands,
  'ARGV[4]',
  `${hex}${announce}${isPermits}
if not isPermits() then return no('kind', '') end
local untilMs, id = endOf(ARGV[3])
if not untilMs then return no('permit', '') end
redis.call('zrem', KEYS[2], id)
local available = redis.call('incrby', KEYS[1], 1)
announce(ARGV[4], available)
return {'done', available}
`,
);

/**
 * Removes expired permits. `ARGV`: 3 the channel, 4 and on the ids that were seen expired. A permit that was renewed
 * stays. Answers the number removed, and the number of free permits.
 */
export const sweepPermits = acting(
  permitCommands,
  'ARGV[3]',
  `${hex}${announce}${isPermits}
if not isPermits() then return no('kind', '') end
local nowMs, swept = timeMs(), 0
for i = 4, #ARGV do
  local untilMs, id = endOf(ARGV[i])
  if untilMs and tonumber(untilMs) <= nowMs then swept = swept + redis.call('zrem', KEYS[2], id) end
end
if swept == 0 then return no('permit', '') end
local available = redis.call('incrby', KEYS[1], swept)
announce(ARGV[3], available)
return {'done', swept, available}
`,
);

/**
 * Sets the limit, which is the sum of free and held permits. `ARGV`: 3 the limit that was seen, 4 the new one, 5 the
 * channel. Answers the number of free permits.
 */
export const resizePermits = acting(
  permitCommands,
  'ARGV[5]',
  `${announce}${isPermits}
if not isPermits() then return no('kind', '') end
local held = typeOf(KEYS[2]) == 'zset' and redis.call('zcard', KEYS[2]) or 0
local limit = tonumber(redis.call('get', KEYS[1])) + held
if limit ~= tonumber(ARGV[3]) then return no('limit', limit) end
local available = redis.call('incrby', KEYS[1], tonumber(ARGV[4]) - limit)
if tonumber(ARGV[4]) > limit then announce(ARGV[5], available) end
return {'done', available}
`,
);

/**
 * Adds to a counter without names. `ARGV`: 3 the free permits as seen, 4 the number to add, 5 the channel. `INCRBY`
 * keeps the key's time to live, which `SET` would remove. Answers the number of free permits.
 */
export const addPermits = acting(
  `{'type', KEYS[1]}, {'get', KEYS[1]}, {'incrby', KEYS[1], 1}`,
  'ARGV[5]',
  `${announce}
if typeOf(KEYS[1]) ~= 'string' then return no('kind', '') end
local before = redis.call('get', KEYS[1])
if before ~= ARGV[3] then return no('available', before) end
local available = redis.call('incrby', KEYS[1], ARGV[4])
if tonumber(ARGV[4]) > 0 then announce(ARGV[5], available) end
return {'done', available}
`,
);
