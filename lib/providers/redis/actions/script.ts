/**
 * The parts of an action's script, which checks its condition and writes in one step of the server. A script answers
 * `{'done', …}`, `{'no', code, now}` when its condition fails, or `{'forbidden', command}`. The last two write nothing.
 */
import { z } from 'zod';

export interface Script {
  readonly text: string;
}

/** `may`: the question about rights was answered with yes. */
export type Answer =
  | { readonly is: 'done'; readonly facts: readonly string[] }
  | { readonly is: 'no'; readonly code: string; readonly now: string }
  | { readonly is: 'forbidden'; readonly command: string }
  | { readonly is: 'may' };

/**
 * The start of every script. `ARGV[1]` is `cluster` where messages also go to the slot's own channels, on which
 * Redisson listens there. `ARGV[2]` is `ask` for a question about rights, which writes nothing. An access rule could
 * stop a script half way and leave half a write, so `barred` checks all commands first.
 */
const prelude = `
local inCluster = ARGV[1] == 'cluster'
local function timeMs()
  local t = redis.call('time')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function typeOf(key) return redis.call('type', key).ok end
local function text(value) return value and tostring(value) or '' end
local function no(code, now) return {'no', code, text(now)} end
local function tell(channel, message)
  redis.call('publish', channel, message)
  if inCluster then redis.call('spublish', channel, message) end
end
local function listeners(channel)
  local most = -1
  for _, kind in ipairs({'numsub', 'shardnumsub'}) do
    local reply = redis.pcall('pubsub', kind, channel)
    if not reply.err then most = math.max(most, tonumber(reply[2])) end
  end
  return most
end
local function barred(commands)
  if redis.acl_check_cmd == nil then return nil end
  for _, one in ipairs(commands) do
    if not redis.acl_check_cmd(unpack(one)) then return one[1] end
  end
  return nil
end
local function barredFrom(channels)
  for _, channel in ipairs(channels) do
    local tells = {{'publish', channel, '0'}, inCluster and {'spublish', channel, '0'} or nil}
    local stopped = barred(tells)
    if stopped then return stopped end
  end
  return nil
end
`;

/**
 * `commands` and `channels` are Lua: the commands that the script runs with their arguments, and the channels that it
 * publishes to.
 */
export const acting = (commands: string, channels: string, body: string): Script => ({
  text: `${prelude}
local stopped = barred({${commands}}) or barredFrom({${channels}})
if stopped then return {'forbidden', stopped} end
if ARGV[2] == 'ask' then return {'may'} end
${body}`,
});

/** A script that only reads. It answers `{'forbidden', command}` as the others do. */
export const reading = (commands: string, body: string): Script => ({
  text: `${prelude}
local stopped = barred({${commands}})
if stopped then return {'forbidden', stopped} end
${body}`,
});

const part = z.union([z.string(), z.number().transform(String)]);
const answer = z.union([
  z.tuple([z.literal('done')], part).transform(([, ...facts]): Answer => ({ is: 'done', facts })),
  z
    .tuple([z.literal('no'), z.string(), part])
    .transform(([, code, now]): Answer => ({ is: 'no', code, now })),
  z
    .tuple([z.literal('forbidden'), z.string()])
    .transform(([, command]): Answer => ({ is: 'forbidden', command })),
  z.tuple([z.literal('may')]).transform((): Answer => ({ is: 'may' })),
]);

/** Throws on any other form, which only a bug in our scripts can give. */
export const answerOf = (reply: unknown): Answer => answer.parse(reply);
