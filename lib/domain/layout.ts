/**
 * The layouts that client libraries leave in the backend, and their consequences. To add one, name it in its
 * provider's codes, and add a row here, its words to `lib/i18n` and a rule to the recogniser.
 */

import type { ConsulLockLayout, ConsulSemaphoreLayout } from '@/lib/domain/codes/consul';
import type { RedisLockLayout, RedisSemaphoreLayout } from '@/lib/domain/codes/redis';
import type { StandInLockLayout, StandInSemaphoreLayout } from '@/lib/domain/codes/stand-in';
import type { ZooKeeperLockLayout, ZooKeeperSemaphoreLayout } from '@/lib/domain/codes/zookeeper';

export type LockLayout = ConsulLockLayout | RedisLockLayout | StandInLockLayout | ZooKeeperLockLayout;

export type SemaphoreLayout =
  | ConsulSemaphoreLayout
  | RedisSemaphoreLayout
  | StandInSemaphoreLayout
  | ZooKeeperSemaphoreLayout;

export type Layout = LockLayout | SemaphoreLayout;

export interface LayoutTraits {
  /**
   * A process learns that it lost its lock or slot. `yes`: the client library watches. `no`: it never looks. `unknown`:
   * that depends on the program.
   */
  readonly holderLearns: 'yes' | 'no' | 'unknown';
  /**
   * The effect of a new limit on clients; `null` for locks and for shapes that we do not write.
   * - `fails-waiters`: waiters notice a limit that differs from their own, and give up.
   * - `live`: clients read the limit. A limit below the number of holders would let them in without bound.
   * - `counts`: clients count permits down. A lower limit lets none in.
   */
  readonly resize: 'fails-waiters' | 'live' | 'counts' | null;
}

/** Sources: HashiCorp `api/lock.go`, `api/semaphore.go`, `command/lock`; each project's own Consul code. */
export const layouts: Readonly<Record<Layout, LayoutTraits>> = {
  'go-lock': { holderLearns: 'yes', resize: null },
  'consul-lock': {
    holderLearns: 'yes',
    resize: null,
  },
  terraform: {
    holderLearns: 'yes',
    resize: null,
  },
  vault: {
    holderLearns: 'yes',
    resize: null,
  },
  'patroni-leader': {
    holderLearns: 'no',
    resize: null,
  },
  'patroni-member': {
    holderLearns: 'no',
    resize: null,
  },
  'consul-template': {
    holderLearns: 'yes',
    resize: null,
  },
  'consul-esm': { holderLearns: 'yes', resize: null },
  'java-lock': {
    holderLearns: 'no',
    resize: null,
  },
  plain: { holderLearns: 'unknown', resize: null },
  'go-semaphore': {
    holderLearns: 'yes',
    resize: 'fails-waiters',
  },
  'guide-list': {
    holderLearns: 'unknown',
    resize: 'live',
  },
  'java-semaphore': {
    holderLearns: 'no',
    resize: 'live',
  },
  unreadable: {
    holderLearns: 'unknown',
    resize: null,
  },
  'stand-in-lock': { holderLearns: 'unknown', resize: null },
  // Redisson 4.7: no message reaches a holder whose entry is gone. It asks Redis only at its own next call.
  'redisson-lock': { holderLearns: 'no', resize: null },
  'redisson-fenced': { holderLearns: 'no', resize: null },
  'redisson-fair': { holderLearns: 'no', resize: null },
  'redisson-read-write': { holderLearns: 'no', resize: null },
  'redisson-faster-multi': { holderLearns: 'no', resize: null },
  redlock: { holderLearns: 'no', resize: null },
  'redisson-semaphore': { holderLearns: 'no', resize: 'counts' },
  'redisson-permits': { holderLearns: 'no', resize: 'counts' },
  'redisson-latch': { holderLearns: 'no', resize: null },
  // Curator 5.9: a deleted node goes unnoticed, also by a latch leader (CURATOR-171).
  'curator-mutex': { holderLearns: 'no', resize: null },
  'curator-latch': { holderLearns: 'no', resize: null },
  'curator-read-write': { holderLearns: 'no', resize: null },
  'zookeeper-other': { holderLearns: 'unknown', resize: null },
  'curator-semaphore': { holderLearns: 'no', resize: null },
  'curator-semaphore-shared': { holderLearns: 'no', resize: 'counts' },
  'stand-in-semaphore': { holderLearns: 'unknown', resize: 'live' },
};

/** The last part of the key of a semaphore's record, as Go's `api.Semaphore` names it and all others after it. */
export const recordName = '.lock';

/** The key of the record that has a semaphore's limit and holders. */
export const recordKey = ({ prefix }: { readonly prefix: string }): string => `${prefix}/${recordName}`;
