/** English: each client type's name, peculiarities, and how fast its clients notice a loss. */
import type { Layout } from '@/lib/domain/layout';
import { redis } from './providers/redis';
import { standIn } from './providers/stand-in';
import { zookeeper } from './providers/zookeeper';

export interface LayoutText {
  readonly name: string;
  /** Before an action; `null`: nothing special. */
  readonly caution: string | null;
  /** Which clients notice a lost lock or slot, and how fast. */
  readonly notices: string;
  /** Without a client in view that could take over. */
  readonly alone?: { readonly caution: string; readonly notices: string };
}

const goLibrary =
  'The Go client library learns within milliseconds, if it still runs. Its program decides what to do then.';
const neverLooks = 'Its clients never check that they still hold: the process keeps working, unaware.';

export const layouts: Readonly<Record<Layout, LayoutText>> = {
  'go-lock': { name: 'Go api.Lock', caution: null, notices: goLibrary },
  'consul-lock': {
    name: 'consul lock',
    caution: 'If consul lock still runs, it gives its command 5\u00a0s to end after losing the lock.',
    notices:
      'If consul lock still runs, it learns within milliseconds: its command gets SIGTERM, and SIGKILL after 5\u00a0s.',
  },
  terraform: {
    name: 'Terraform state lock',
    caution:
      'A live Terraform run takes the lock again with a new session. Its lock-delay is 5\u00a0s, and the lock info stays behind.',
    notices:
      'A live Terraform run takes the lock again with a new session and continues. The lock info stays behind either way.',
  },
  vault: {
    name: 'Vault HA lock',
    caution: 'A release makes the active Vault step down; a standby takes over.',
    notices: 'The active Vault steps down; a standby takes over.',
  },
  'patroni-leader': {
    name: 'Patroni leader',
    caution:
      'Destroying this session starts a PostgreSQL failover at once. The leader and the member key go together, with a lock-delay of 1\u00a0ms.',
    notices:
      'Patroni on the other nodes starts a PostgreSQL failover at once. The old leader steps down at its next check.',
    alone: {
      caution:
        'Destroying this session deletes the leader and member keys together, with a lock-delay of 1\u00a0ms. No other Patroni member is in view to take over.',
      notices:
        'No other Patroni member is in view to take over. A leader that still runs may retake the lock with a new session.',
    },
  },
  'patroni-member': {
    name: 'Patroni member',
    caution: 'This key belongs to a Patroni member; the same session may hold the leader lock.',
    notices: 'Patroni treats this member as gone until it writes its key again, at its next round.',
  },
  'consul-template': { name: 'consul-template de-duplication', caution: null, notices: goLibrary },
  'consul-esm': { name: 'consul-esm leader', caution: null, notices: goLibrary },
  'java-lock': {
    name: 'Java article lock',
    caution: 'Its clients never check that they still hold it: the holder keeps working after a release.',
    notices: neverLooks,
  },
  plain: {
    name: 'plain acquire',
    caution: null,
    notices: 'Only its program decides whether the process notices; nothing informs it.',
  },
  'go-semaphore': {
    name: 'Go api.Semaphore (map)',
    caution: null,
    notices:
      'Go clients that still run learn within milliseconds. consul lock then sends its command SIGTERM, and SIGKILL after 5\u00a0s: until then both run.',
  },
  'guide-list': {
    name: 'HashiCorp guide (list)',
    caution: 'The guide leaves the client to its reader. Signalbox cannot know what its clients notice.',
    notices: 'The guide leaves the client to its reader. Signalbox cannot know what its clients notice.',
  },
  'java-semaphore': {
    name: 'Java article semaphore (list)',
    caution: 'Its clients never watch their slot: an evicted holder keeps working.',
    notices: 'Its clients never watch their slot: an evicted holder keeps working, unaware.',
  },
  unreadable: {
    name: 'unreadable .lock',
    caution: 'Signalbox writes back only shapes that it understands. It does not write this one.',
    notices: 'Signalbox does not understand the entry and cannot know what its clients notice.',
  },
  ...redis.layouts,
  ...standIn.layouts,
  ...zookeeper.layouts,
};
