/**
 * The layouts that client libraries leave in the backend, and what follows from each for an operator.
 * One row a layout: a newcomer adds a layout by adding a row here and a rule to the provider's recogniser.
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
  /** What the layout is called on screen. */
  readonly name: string;
  /**
   * Whether the process that loses its lock or slot finds out.
   * `yes`: the client library watches. `no`: it never looks. `unknown`: it depends on the program.
   */
  readonly holderLearns: 'yes' | 'no' | 'unknown';
  /** What a new limit does to clients. `null` for locks and for shapes that we do not write. */
  readonly resize: 'fails-waiters' | 'live' | null;
  /** What is special about this layout for someone about to act on it; `null` when nothing is. */
  readonly caution: string | null;
}

/** Sources: HashiCorp `api/lock.go`, `api/semaphore.go`, `command/lock`; each project's own Consul code. */
export const layouts: Readonly<Record<Layout, LayoutTraits>> = {
  'go-lock': { name: 'Go api.Lock', holderLearns: 'yes', resize: null, caution: null },
  'consul-lock': {
    name: 'consul lock',
    holderLearns: 'yes',
    resize: null,
    caution: 'consul lock gives its child 5 s to end after it lost the lock.',
  },
  terraform: {
    name: 'Terraform state lock',
    holderLearns: 'yes',
    resize: null,
    caution:
      'A Terraform run that is still alive takes the lock again with a new session. Its lock-delay is 5 s, and the lock info stays behind.',
  },
  vault: {
    name: 'Vault HA lock',
    holderLearns: 'yes',
    resize: null,
    caution: 'Releasing it makes the active Vault step down; a standby takes over.',
  },
  'patroni-leader': {
    name: 'Patroni leader',
    holderLearns: 'no',
    resize: null,
    caution:
      'Destroying this session starts a PostgreSQL failover at once: the leader and the member key go together, with a lock-delay of 1 ms.',
  },
  'patroni-member': {
    name: 'Patroni member',
    holderLearns: 'no',
    resize: null,
    caution: 'This key belongs to a Patroni member; the same session may hold the leader lock.',
  },
  'consul-template': {
    name: 'consul-template de-duplication',
    holderLearns: 'yes',
    resize: null,
    caution: null,
  },
  'consul-esm': { name: 'consul-esm leader', holderLearns: 'yes', resize: null, caution: null },
  'java-lock': {
    name: 'Java article lock',
    holderLearns: 'no',
    resize: null,
    caution: 'Its clients never check that they still hold it: the holder works on after a release.',
  },
  plain: { name: 'plain acquire', holderLearns: 'unknown', resize: null, caution: null },
  'go-semaphore': {
    name: 'Go api.Semaphore (map)',
    holderLearns: 'yes',
    resize: 'fails-waiters',
    caution: null,
  },
  'guide-list': {
    name: 'HashiCorp guide (list)',
    holderLearns: 'unknown',
    resize: 'live',
    caution: 'The guide leaves the client to its reader: what its clients notice cannot be known.',
  },
  'java-semaphore': {
    name: 'Java article semaphore (list)',
    holderLearns: 'no',
    resize: 'live',
    caution: 'Its clients never watch their slot: an evicted holder works on.',
  },
  unreadable: {
    name: 'unreadable .lock',
    holderLearns: 'unknown',
    resize: null,
    caution: 'Signalbox writes back only shapes that it understood, so it does not write this one.',
  },
};
