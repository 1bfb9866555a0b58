/**
 * The keys and channels that Redisson keeps beside a name, mirrored from `RedissonObject.prefixName` and `suffixName`
 * and the classes that call them (Redisson 4.7). Every companion has the hash tag of its name, so that one script may
 * reach them all in a cluster.
 */

const prefixed = (prefix: string, name: string): string =>
  name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;

const suffixed = (name: string, suffix: string): string =>
  name.includes('{') ? `${name}:${suffix}` : `{${name}}:${suffix}`;

/** The channel of a plain, fenced or fair lock, on which its waiters listen. A spin lock has none. */
export const lockChannel = (name: string): string => prefixed('redisson_lock__channel', name);
/** The channel of one waiter of a fair lock. `waiter` is its `uuid:threadId`. */
export const waiterChannel = (name: string, waiter: string): string => `${lockChannel(name)}:${waiter}`;
/** The string with the fencing token of a fenced lock. */
export const fencingKey = (name: string): string => prefixed('redisson_lock_token', name);
/** The list of a fair lock's waiters, first come first served. */
export const queueKey = (name: string): string => prefixed('redisson_lock_queue', name);
/** The sorted set of a fair lock's waiters: until when each is presumed alive, epoch milliseconds. */
export const queueTimesKey = (name: string): string => prefixed('redisson_lock_timeout', name);

/** The channel of a read-write lock's waiters. */
export const readWriteChannel = (name: string): string => prefixed('redisson_rwlock', name);
/** The string that lives as long as the `nth` (from 1) hold of a reader. `reader` is its `uuid:threadId`. */
export const readHoldKey = (name: string, reader: string, nth: number): string =>
  `${suffixed(name, reader)}:rwlock_timeout:${nth}`;

/** The channel of the waiters of both kinds of semaphores. */
export const semaphoreChannel = (name: string): string => prefixed('redisson_sc', name);
/** The sorted set of an expirable semaphore's permits: the permit's id, scored with its end in epoch milliseconds. */
export const permitsKey = (name: string): string => suffixed(name, 'timeout');

/** The channel of a count-down latch's waiters. Only latches add braces to a name that has its own. */
export const latchChannel = (name: string): string => `redisson_countdownlatch__channel__{${name}}`;

/** Short-lived keys of Redisson that mean nothing here. They are never read or touched. */
export const unlockLatchPrefix = 'redisson_unlock_latch:';

/** Prefixes of the companions that stand before their name. A key with such a prefix is no name of its own. */
export const companionPrefixes = [
  'redisson_lock_token:',
  'redisson_lock_queue:',
  'redisson_lock_timeout:',
  unlockLatchPrefix,
] as const;

/** The name in a companion's key, as it is tagged there; `null`: the key is no companion. */
function nameOfCompanion(key: string): string | null {
  const prefix = companionPrefixes.find((one) => key.startsWith(one));
  const rest = prefix !== undefined ? key.slice(prefix.length) : nameOfSuffixed(key);
  if (rest === null || prefix === undefined) return rest;
  if (prefix === unlockLatchPrefix) {
    // `redisson_unlock_latch:{n}:<id>`
    const end = rest.lastIndexOf(':');
    return end < 0 ? null : bare(rest.slice(0, end));
  }
  return bare(rest);
}

const suffixes = [/^(.+):timeout$/s, /^(.+):[0-9a-f-]{36}:\d+:rwlock_timeout:\d+$/s];

function nameOfSuffixed(key: string): string | null {
  for (const pattern of suffixes) {
    const tagged = pattern.exec(key)?.[1];
    if (tagged?.includes('{')) return bare(tagged);
  }
  return null;
}

/** The name without the braces that Redisson put around it. */
function bare(tagged: string): string {
  const inner = tagged.slice(1, -1);
  const isWrapped = tagged.startsWith('{') && tagged.endsWith('}') && inner !== '' && !inner.includes('{');
  return isWrapped ? inner : tagged;
}

/**
 * The names that a companion may belong to, the likely one first. `{orders}` as a name and a wrapped `orders` look the
 * same in a companion's key.
 */
export function namesOfCompanion(key: string): readonly string[] {
  const name = nameOfCompanion(key);
  if (name === null) return [];
  return name.includes('{') ? [name] : [name, `{${name}}`];
}

/**
 * The other name with the same companions and channels: `orders` for `{orders}`, and the reverse. `null`: there is
 * none.
 */
export function twinOf(name: string): string | null {
  if (!name.includes('{')) return `{${name}}`;
  const inner = bare(name);
  return inner === name ? null : inner;
}

export type ChannelKind = 'lock' | 'read-write' | 'semaphore' | 'latch';

const channelPrefixes: readonly (readonly [ChannelKind, string])[] = [
  ['lock', 'redisson_lock__channel:'],
  ['read-write', 'redisson_rwlock:'],
  ['semaphore', 'redisson_sc:'],
];
const latchPattern = /^redisson_countdownlatch__channel__\{(.*)\}$/s;
const waiterSuffix = /:[0-9a-f-]{36}:\d{1,20}$/;

/** The names that clients on a channel wait for; `null`: a channel of another kind. */
export function awaitedOn(
  channel: string,
): { readonly kind: ChannelKind; readonly names: readonly string[] } | null {
  const latch = latchPattern.exec(channel)?.[1];
  if (latch !== undefined) return { kind: 'latch', names: [latch] };
  const found = channelPrefixes.find(([, prefix]) => channel.startsWith(prefix));
  if (found === undefined) return null;
  const [kind, prefix] = found;
  const rest = channel.slice(prefix.length);
  const tagged = kind === 'lock' ? rest.replace(waiterSuffix, '') : rest;
  const name = bare(tagged);
  return { kind, names: name === tagged ? [name] : [name, tagged] };
}

/** Redisson's id of one thread of one client: `<uuid>:<threadId>`, with `:write` for a writer. */
const holderPattern = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):(\d{1,20})(:write)?$/;

export interface RedissonId {
  /** The id of one Redisson instance. It maps to no address. */
  readonly client: string;
  /** A number of 64 bits, as text. */
  readonly thread: string;
  readonly writer: boolean;
}

/** `null`: Redisson did not write this field. */
export function redissonIdOf(field: string): RedissonId | null {
  const [, client, thread, write] = holderPattern.exec(field) ?? [];
  if (client === undefined || thread === undefined) return null;
  return { client, thread, writer: write !== undefined };
}

/** True when one thread of one client wrote both. */
export function isSameThread(one: string, other: string): boolean {
  const [a, b] = [redissonIdOf(one), redissonIdOf(other)];
  return a !== null && b !== null && a.client === b.client && a.thread === b.thread;
}
