/**
 * The sentences that only Redis's provider needs, as codes with facts. Each has its words in
 * `lib/i18n/{en,zh}/{providers,rest}/redis.ts`. Without them the languages do not compile.
 */
import type { Nothing } from './nothing';

export type RedisLockLayout =
  | 'redisson-lock'
  | 'redisson-fenced'
  | 'redisson-fair'
  | 'redisson-read-write'
  | 'redisson-faster-multi'
  | 'redlock';
export type RedisSemaphoreLayout = 'redisson-semaphore' | 'redisson-permits' | 'redisson-latch';

/** `atMs` of a lease: when it ends unless renewed, by Redis's own clock. */
export type RedisEvidence =
  | 'redis-lease-runs'
  /** The end moved at least twice without a new hold, as by a watchdog. `detail`: the lease. */
  | 'redis-lease-renewed'
  /** The end moved so, and then not for longer than its rhythm. `atMs`: the last time. */
  | 'redis-renewal-overdue'
  /** Seen from its beginning past the moment when a watchdog would have renewed it. */
  | 'redis-lease-fixed'
  | 'redis-no-lease'
  /** A permit whose time is over, and that no client has swept. `atMs`: its end. */
  | 'redis-permit-over'
  /** `detail`: the id of a Redisson instance, which leads to no address. */
  | 'redis-client'
  | 'redis-thread'
  /** Waits, and is subscribed to its channel. */
  | 'redis-subscribed'
  /** The client waits in the queue, and two looks found no subscriber on its channel. `atMs`: the first look. */
  | 'redis-not-subscribed'
  | 'redis-not-asked'
  /**
   * The writer released and still reads, for which Redisson sends no message. `detail`: the writer. `atMs`: the instant
   * at which that was seen.
   */
  | 'redis-writer-reads-on'
  /** Readers that wait sleep until then at the latest; `null`: for ever. */
  | 'redis-sleep-ends'
  /** Signalbox has removed the same thread of the same client from another lock. `detail`: its name. `atMs`: when. */
  | 'redis-thread-lost';

export type RedisSummary = {
  'redis-remove-holder': { readonly key: string; readonly holder: string };
  'redis-remove-reader': { readonly key: string; readonly holder: string };
  'redis-remove-waiter': { readonly key: string; readonly waiter: string };
  'redis-wake': { readonly key: string };
  'redis-take-permit': { readonly prefix: string; readonly holder: string };
  'redis-sweep': { readonly semaphores: number; readonly permits: number };
  'redis-return': { readonly prefix: string; readonly permits: number };
};

export type RedisCondition = {
  'redis-same-holder': { readonly sessionId: string; readonly count: string };
  /** The fencing token: no hold has begun since. */
  'redis-same-token': { readonly sessionId: string; readonly token: string };
  'redis-still-waits': { readonly sessionId: string };
  /** The client waits, and its channel has no listener. */
  'redis-still-dead': { readonly sessionId: string };
  'redis-lock-open': Nothing;
  'redis-permit-there': { readonly sessionId: string };
  'redis-still-over': { readonly permits: number };
  'redis-available-is': { readonly available: number };
};

export type RedisWarning = {
  /** A re-entered hold leaves its client's watchdog behind, which may cost that client's next thread the lock. */
  'redis-reentered': { readonly count: number };
  /** No fencing token: another hold of the same thread may look the same. */
  'redis-same-thread': Nothing;
  'redis-fenced': { readonly token: string };
  /** The same client and thread hold other locks, which may be parts of one MultiLock. The first of them, one a line. */
  'redis-multi': { readonly others: number; readonly names: string };
  /** Clients that wait without a queue; `null`: not counted. */
  'redis-clients-wait': { readonly clients: number | null };
  /** The channel of the next client in the queue has no listener. */
  'redis-next-dead': { readonly waiter: string };
  /** `null`: never. */
  'redis-frees-itself': { readonly withinMs: number | null };
  'redis-readers-stay': { readonly readers: number };
  'redis-one-of-several': Nothing;
  'redis-waiter-dead': Nothing;
  'redis-waiter-returns': Nothing;
  'redis-wake-changes-nothing': Nothing;
  'redis-clocks': Nothing;
  /** Expired permits that this does not sweep. */
  'redis-more-over': { readonly permits: number };
  'redis-below-held': { readonly held: number; readonly limit: number };
  'redis-no-names': Nothing;
  /** More permits would be free than the configured limit. */
  'redis-beyond-limit': { readonly available: number; readonly limit: number };
  /** The action is not replicated, and a failover now may undo it. */
  'redis-not-replicated': Nothing;
  'redis-setting-stays': { readonly prefix: string; readonly limit: number };
};

export type RedisUndo = {
  'redis-nothing-to-undo': Nothing;
  'redis-none-permits': Nothing;
};

export type RedisNote = {
  'redis-script': Nothing;
};

export type RedisRefusal = {
  /** A semaphore of which Redis stores only the free permits, and whose limit is not configured. */
  'redis-no-limit': Nothing;
  /** Java's clients count to 2,147,483,647. */
  'redis-too-many': { readonly max: number };
};

export type RedisFailure = {
  /** The name or password is wrong, or one is wanted. */
  'redis-sign-in-refused': Nothing;
  'redis-not-permitted': { readonly command: string };
  /** The access rules of Redis hide a key that is in view. Redis does not say which. */
  'redis-key-not-permitted': Nothing;
  'redis-loading': Nothing;
  /** Redis is busy with a script. */
  'redis-busy': Nothing;
  'redis-cluster-down': Nothing;
  /** Slots are moving to another server, or the servers have changed their parts. */
  'redis-moved': Nothing;
  /** No sentinel answers, or none knows a master by this name. */
  'redis-no-master': { readonly name: string };
  /** A replica answers. */
  'redis-replica': Nothing;
  /** Older than 6.0: it does not speak RESP3. */
  'redis-too-old': Nothing;
  /** `reason`: the first word of its answer. */
  'redis-refused': { readonly command: string; readonly reason: string };
};

export type RedisDifference = {
  'redis-count-changed': { readonly key: string; readonly before: string; readonly now: string };
  'redis-token-changed': { readonly key: string; readonly before: string; readonly now: string };
  /** Otherwise than by a renewal: as by another hold. */
  'redis-lease-changed': { readonly key: string };
  'redis-kind-changed': { readonly key: string };
  'redis-not-waiting': { readonly sessionId: string };
  'redis-queued-again': { readonly sessionId: string };
  'redis-waiter-lives': { readonly sessionId: string };
  'redis-held-now': { readonly key: string; readonly holder: string };
  'redis-permit-gone': { readonly sessionId: string };
  'redis-available-changed': { readonly before: string; readonly now: string };
};

export const redisOutages = [
  'redis-sign-in',
  'redis-permission',
  'redis-starting',
  'redis-script',
  'redis-cluster',
  'redis-failover',
  'redis-version',
] as const;
