/**
 * The layouts that client libraries leave in the backend, and their consequences. To add one, add a row here, its name
 * to `lib/i18n` and a rule to the recogniser.
 */

import type { StandInLockLayout, StandInSemaphoreLayout } from '@/lib/domain/codes/stand-in';

export type LockLayout =
  | 'go-lock'
  | 'consul-lock'
  | 'terraform'
  | 'vault'
  | 'patroni-leader'
  | 'patroni-member'
  | 'consul-template'
  | 'consul-esm'
  | 'java-lock'
  | 'plain'
  | StandInLockLayout;

export type SemaphoreLayout =
  | 'go-semaphore'
  | 'guide-list'
  | 'java-semaphore'
  | 'unreadable'
  | StandInSemaphoreLayout;

export type Layout = LockLayout | SemaphoreLayout;

export interface LayoutTraits {
  /**
   * Whether a process learns that it lost its lock or slot. `yes`: the client library watches. `no`: it never looks.
   * `unknown`: it depends on the program.
   */
  readonly holderLearns: 'yes' | 'no' | 'unknown';
  /** Of a new limit on clients. `null` for locks and for shapes that we do not write. */
  readonly resize: 'fails-waiters' | 'live' | null;
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
  'stand-in-semaphore': { holderLearns: 'unknown', resize: 'live' },
};

/** The last part of the key of a semaphore's record, as Go's `api.Semaphore` names it and all others after it. */
export const recordName = '.lock';

/** The key of the record that has a semaphore's limit and holders. */
export const recordKey = ({ prefix }: { readonly prefix: string }): string => `${prefix}/${recordName}`;
