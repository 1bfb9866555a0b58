/**
 * The layouts that client libraries leave in the backend, and their consequences. To add one, add a row here, its name
 * to `lib/i18n` and a rule to the recogniser.
 */

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
  | 'plain';

export type SemaphoreLayout = 'go-semaphore' | 'guide-list' | 'java-semaphore' | 'unreadable';

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
};
