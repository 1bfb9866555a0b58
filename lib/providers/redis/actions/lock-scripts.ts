/**
 * The scripts of locks, in the manner of Redisson 4.7 (`RedissonLock`, `RedissonFairLock`, `RedissonReadLock`,
 * `RedissonWriteLock`).
 */
import { acting, reading } from './script';

/**
 * Most fields, waiters and readers' holds that a script reads, so that a huge foreign hash does not block the server.
 */
export const sizeMax = 10_000;

/**
 * Reads a lock. `KEYS`: name, queue, its times, token. `ARGV`: 3 the lock's channel, 4 the prefix of a reader's hold
 * keys, 5 the read-write lock's channel. Answers the server's time, type, end, value, fields, token, queue and times.
 * Then come the listeners of each waiter's channel, of the lock's and of the read-write lock's, and the end of each
 * field's hold.
 */
export const readLock = reading(
  `{'type', KEYS[1]}, {'time'}, {'getrange', KEYS[1], 0, 1}, {'hlen', KEYS[1]}, {'hgetall', KEYS[1]}, {'pexpiretime', KEYS[1]},
    {'get', KEYS[4]}, {'llen', KEYS[2]}, {'lrange', KEYS[2], 0, 1}, {'zscore', KEYS[3], ''}`,
  `
local kind = typeOf(KEYS[1])
local value, fields, ends = '', {}, {}
if kind == 'string' then value = redis.call('getrange', KEYS[1], 0, 4096) end
if kind == 'hash' then
  if redis.call('hlen', KEYS[1]) > ${sizeMax} then kind = 'large' else fields = redis.call('hgetall', KEYS[1]) end
end
local asked = 0
for i = 1, #fields, 2 do
  local count, last = tonumber(fields[i + 1]), -2
  asked = asked + (count or 0)
  if count and asked <= ${sizeMax} then
    for n = 1, count do
      last = math.max(last, redis.call('pexpiretime', ARGV[4] .. fields[i] .. ':rwlock_timeout:' .. n))
    end
  end
  ends[#ends + 1] = last
end
local token = typeOf(KEYS[4]) == 'string' and redis.call('get', KEYS[4]) or ''
local queue, times, alive = {}, {}, {}
if typeOf(KEYS[2]) == 'list' and redis.call('llen', KEYS[2]) <= ${sizeMax} then
  queue = redis.call('lrange', KEYS[2], 0, -1)
end
local scored = typeOf(KEYS[3]) == 'zset'
for i, waiter in ipairs(queue) do
  times[i] = text(scored and redis.call('zscore', KEYS[3], waiter))
  alive[i] = listeners(ARGV[3] .. ':' .. waiter)
end
return {timeMs(), kind, redis.call('pexpiretime', KEYS[1]), value, fields, token, queue, times, alive,
  listeners(ARGV[3]), listeners(ARGV[5]), ends}
`,
);

/**
 * Compares the lease with the one that was seen. `ARGV` from `first`: its end, the rule, the longest lease that a
 * renewal gives. See `lease.ts` for the rules.
 */
const leaseCheck = (first: number) => `
local function leaseDiffers(ends)
  local seen, rule, longest = tonumber(ARGV[${first}]), ARGV[${first + 1}], tonumber(ARGV[${first + 2}])
  if rule == 'any' then return false end
  if rule == 'fixed' or seen < 0 or ends < 0 then return ends ~= seen end
  if rule == 'renewed' and ends < seen then return true end
  return ends ~= seen and ends - timeMs() > longest
end
`;

/**
 * Removes dead heads first, as each script of a fair lock does. Redisson presumes a client dead when its time is over.
 */
const dropStale = `
local function dropStale()
  local nowMs = timeMs()
  if typeOf(KEYS[2]) ~= 'list' or typeOf(KEYS[3]) ~= 'zset' then return end
  while true do
    local head = redis.call('lindex', KEYS[2], 0)
    local untilMs = head and redis.call('zscore', KEYS[3], head)
    if not untilMs or tonumber(untilMs) > nowMs then return end
    redis.call('zrem', KEYS[3], head)
    redis.call('lpop', KEYS[2])
  end
end
`;

const headOf = `
local function headOf() return typeOf(KEYS[2]) == 'list' and redis.call('lindex', KEYS[2], 0) end
`;

/**
 * Releases a plain, fenced or fair lock. `ARGV`: 3 field, 4 count, 5 token, 6 to 8 the lease, 9 the channel. One name
 * may be both plain and fair, so the script publishes to both channels. Answers the next waiter of a fair lock, and the
 * number of listeners on its channel.
 */
export const releaseLock = acting(
  `{'type', KEYS[1]}, {'time'}, {'hgetall', KEYS[1]}, {'pexpiretime', KEYS[1]}, {'get', KEYS[4]}, {'del', KEYS[1]},
    {'lindex', KEYS[2], 0}, {'lpop', KEYS[2]}, {'zscore', KEYS[3], ''}, {'zrem', KEYS[3], ''}`,
  `ARGV[9], ARGV[9] .. ':'`,
  `${leaseCheck(6)}${dropStale}${headOf}
if typeOf(KEYS[1]) == 'none' then return no('holder', '') end
if typeOf(KEYS[1]) ~= 'hash' or redis.call('hlen', KEYS[1]) ~= 1 then return no('kind', '') end
local found = redis.call('hgetall', KEYS[1])
if found[1] ~= ARGV[3] then return no('holder', found[1]) end
if found[2] ~= ARGV[4] then return no('count', found[2]) end
local token = typeOf(KEYS[4]) == 'string' and redis.call('get', KEYS[4]) or ''
if token ~= ARGV[5] then return no('token', token) end
local ends = redis.call('pexpiretime', KEYS[1])
if leaseDiffers(ends) then return no('lease', ends) end
dropStale()
redis.call('del', KEYS[1])
tell(ARGV[9], '0')
local head = headOf()
if not head then return {'done', '', 0} end
local channel = ARGV[9] .. ':' .. head
tell(channel, '0')
return {'done', head, listeners(channel)}
`,
);

/**
 * Wakes all waiters of a read-write lock. On `1` a client wakes all its sleeping threads, but a thread that is about to
 * sleep misses it (`LockPubSub.onMessage`). The client keeps `0` for that thread.
 */
const tellAll = `
local function tellAll(channel)
  tell(channel, '1')
  tell(channel, '0')
end
`;

/**
 * Releases one reader, or the writer. `ARGV`: 3 field, 4 count, 5 mode, 6 to 8 the lease, 9 the channel, 10 the prefix
 * of a reader's hold keys. Redisson's own unlock of a writer that also reads leaves waiting readers asleep; this script
 * wakes them.
 */
export const releaseReadWrite = acting(
  `{'type', KEYS[1]}, {'time'}, {'hget', KEYS[1], ''}, {'hgetall', KEYS[1]}, {'hdel', KEYS[1], ''}, {'hset', KEYS[1], '', ''},
    {'pttl', KEYS[1]}, {'pexpiretime', KEYS[1]}, {'pexpire', KEYS[1], '1'}, {'del', KEYS[1]},
    {'del', ARGV[10] .. ARGV[3] .. ':rwlock_timeout:1'}`,
  'ARGV[9]',
  `${leaseCheck(6)}${tellAll}
local function holdKey(field, n) return ARGV[10] .. field .. ':rwlock_timeout:' .. n end
if typeOf(KEYS[1]) == 'none' then return no('holder', '') end
if typeOf(KEYS[1]) ~= 'hash' then return no('kind', '') end
local mode = redis.call('hget', KEYS[1], 'mode')
if mode ~= ARGV[5] then return no('mode', mode) end
local count = redis.call('hget', KEYS[1], ARGV[3])
if not count then return no('holder', '') end
if count ~= ARGV[4] then return no('count', count) end
local writes = string.sub(ARGV[3], -6) == ':write'
local ends = writes and redis.call('pexpiretime', KEYS[1]) or -2
if not writes then
  for n = 1, tonumber(count) do ends = math.max(ends, redis.call('pexpiretime', holdKey(ARGV[3], n))) end
  if ends == -2 then return no('holder', '') end
end
if leaseDiffers(ends) then return no('lease', ends) end
redis.call('hdel', KEYS[1], ARGV[3])
if not writes then
  for n = 1, tonumber(count) do redis.call('del', holdKey(ARGV[3], n)) end
end
local restMs, fields = -3, redis.call('hgetall', KEYS[1])
for i = 1, #fields, 2 do
  local holds = tonumber(fields[i + 1])
  if holds then
    for n = 1, math.min(holds, ${sizeMax}) do restMs = math.max(restMs, redis.call('pttl', holdKey(fields[i], n))) end
  end
end
if mode == 'write' and not writes then return {'done', 'kept', 0} end
if restMs <= 0 then
  redis.call('del', KEYS[1])
  if writes then tellAll(ARGV[9]) else tell(ARGV[9], '0') end
  return {'done', 'free', 0}
end
redis.call('pexpire', KEYS[1], restMs)
if writes then
  redis.call('hset', KEYS[1], 'mode', 'read')
  tellAll(ARGV[9])
end
return {'done', 'kept', 0}
`,
);

/** Deletes a plain string with a random token. `ARGV`: 3 the token. Its clients poll, so no message is sent. */
export const releaseRedlock = acting(
  `{'type', KEYS[1]}, {'get', KEYS[1]}, {'del', KEYS[1]}`,
  '',
  `
if typeOf(KEYS[1]) == 'none' then return no('holder', '') end
if typeOf(KEYS[1]) ~= 'string' then return no('kind', '') end
local token = redis.call('get', KEYS[1])
if token ~= ARGV[3] then return no('holder', token) end
redis.call('del', KEYS[1])
return {'done', '', 0}
`,
);

/**
 * Removes one entry of a fair queue. `ARGV`: 3 the waiter, 4 its time as seen, 5 `dead` if it was dead, 6 the lock's
 * channel. The times of other waiters stay, so they are presumed alive for longer, never for less. Answers if the lock
 * is free, the next waiter, and the number of listeners on its channel.
 */
export const removeWaiter = acting(
  `{'type', KEYS[1]}, {'time'}, {'exists', KEYS[1]}, {'lpos', KEYS[2], ''}, {'lrem', KEYS[2], 0, ''}, {'lindex', KEYS[2], 0},
    {'zscore', KEYS[3], ''}, {'zrem', KEYS[3], ''}`,
  `ARGV[6] .. ':'`,
  `${headOf}
if typeOf(KEYS[2]) ~= 'list' or not redis.call('lpos', KEYS[2], ARGV[3]) then return no('waiter', '') end
local untilMs = text(typeOf(KEYS[3]) == 'zset' and redis.call('zscore', KEYS[3], ARGV[3]))
if untilMs ~= ARGV[4] and (untilMs == '' or ARGV[4] == '' or tonumber(untilMs) > tonumber(ARGV[4])) then
  return no('requeued', untilMs)
end
if ARGV[5] == 'dead' and listeners(ARGV[6] .. ':' .. ARGV[3]) > 0 then return no('lives', '') end
redis.call('lrem', KEYS[2], 0, ARGV[3])
redis.call('zrem', KEYS[3], ARGV[3])
local free = redis.call('exists', KEYS[1]) == 0
local head = headOf()
if not head then return {'done', free and 'free' or 'held', '', 0} end
local channel = ARGV[6] .. ':' .. head
if free then tell(channel, '0') end
return {'done', free and 'free' or 'held', head, listeners(channel)}
`,
);

/**
 * Wakes the waiters of a lock that they can have, because it is free or readers share it. `ARGV`: 3 the lock's channel,
 * 4 the read-write lock's. Writes nothing.
 */
export const wakeWaiters = acting(
  `{'type', KEYS[1]}, {'hget', KEYS[1], ''}, {'hgetall', KEYS[1]}, {'lindex', KEYS[2], 0}`,
  `ARGV[3], ARGV[4], ARGV[3] .. ':'`,
  `${headOf}${tellAll}
local kind = typeOf(KEYS[1])
local shared = kind == 'hash' and redis.call('hget', KEYS[1], 'mode') == 'read'
if kind ~= 'none' and not shared then
  return no('held', kind == 'hash' and redis.call('hgetall', KEYS[1])[1] or '')
end
tellAll(ARGV[4])
if shared then return {'done', 'shared', 0} end
tell(ARGV[3], '0')
local head = headOf()
if head then tell(ARGV[3] .. ':' .. head, '0') end
return {'done', 'free', 0}
`,
);
