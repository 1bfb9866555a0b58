/**
 * The keys and channels that Redisson keeps beside a name. Mirrored from `RedissonObject.prefixName` and `suffixName`
 * and the classes that call them (Redisson 4.7). Every companion has the hash tag of its name, so that one script may
 * touch them all in a cluster.
 */

const prefixed = (prefix: string, name: string): string =>
  name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;

const suffixed = (name: string, suffix: string): string =>
  name.includes('{') ? `${name}:${suffix}` : `{${name}}:${suffix}`;

/** RLock, fenced and fair: who waits is subscribed to it. A spin lock has none. */
export const lockChannel = (name: string): string => prefixed('redisson_lock__channel', name);
/** One waiter of a fair lock, `waiter` being its `uuid:threadId`. */
export const waiterChannel = (name: string, waiter: string): string => `${lockChannel(name)}:${waiter}`;
/** String with the fencing token of a fenced lock. */
export const fencingKey = (name: string): string => prefixed('redisson_lock_token', name);
/** List with a fair lock's waiters, first come first served. */
export const queueKey = (name: string): string => prefixed('redisson_lock_queue', name);
/** Sorted set: until when, in epoch milliseconds, each waiter of a fair lock is presumed to live. */
export const queueTimesKey = (name: string): string => prefixed('redisson_lock_timeout', name);

/** Waiters of a read-write lock. */
export const readWriteChannel = (name: string): string => prefixed('redisson_rwlock', name);
/** String that lives as long as the `nth` (from 1) hold of a reader, `reader` being its `uuid:threadId`. */
export const readHoldKey = (name: string, reader: string, nth: number): string =>
  `${suffixed(name, reader)}:rwlock_timeout:${nth}`;

/** Waiters of both kinds of semaphores. */
export const semaphoreChannel = (name: string): string => prefixed('redisson_sc', name);
/** Sorted set of an expirable semaphore's permits: member the permit's id, score its end in epoch milliseconds. */
export const permitsKey = (name: string): string => suffixed(name, 'timeout');

/** Waiters of a count-down latch. It alone adds its braces in any case. */
export const latchChannel = (name: string): string => `redisson_countdownlatch__channel__{${name}}`;

/** Keys of Redisson that live for moments and mean nothing here: never read, never touched. */
export const unlockLatchPrefix = 'redisson_unlock_latch:';

/** Prefixes of the companions that stand before their name. A key that begins so is no name of its own. */
export const companionPrefixes = [
  'redisson_lock_token:',
  'redisson_lock_queue:',
  'redisson_lock_timeout:',
  unlockLatchPrefix,
] as const;

/** What a companion belongs to, from its key; `null`: a key that is no companion by its name. */
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

/** A name without braces of its own got one pair around all of it. */
function bare(tagged: string): string {
  const inner = tagged.slice(1, -1);
  const isWrapped = tagged.startsWith('{') && tagged.endsWith('}') && inner !== '' && !inner.includes('{');
  return isWrapped ? inner : tagged;
}

/**
 * `{orders}` as a name and `orders` wrapped look the same in a companion's key: both names it may belong to, the likely
 * one first.
 */
export function namesOfCompanion(key: string): readonly string[] {
  const name = nameOfCompanion(key);
  if (name === null) return [];
  return name.includes('{') ? [name] : [name, `{${name}}`];
}

/**
 * The other name that has the same companions and channels: `orders` for `{orders}`, and the other way round. `null`: there is
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

/** What clients wait for who listen on a channel; `null`: a channel of another kind. */
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

/** Redisson's id of one thread of one client: `<uuid>:<threadId>`, and a writer's with `:write`. */
const holderPattern = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):(\d{1,20})(:write)?$/;

export interface RedissonId {
  /** Of one Redisson instance; it maps to no address. */
  readonly client: string;
  /** 64 bits: text. */
  readonly thread: string;
  readonly writer: boolean;
}

/** `null`: not written by Redisson. */
export function redissonIdOf(field: string): RedissonId | null {
  const [, client, thread, write] = holderPattern.exec(field) ?? [];
  if (client === undefined || thread === undefined) return null;
  return { client, thread, writer: write !== undefined };
}

/** Whether one thread of one client wrote both. */
export function isSameThread(one: string, other: string): boolean {
  const [a, b] = [redissonIdOf(one), redissonIdOf(other)];
  return a !== null && b !== null && a.client === b.client && a.thread === b.thread;
}
