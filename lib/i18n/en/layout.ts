/** English: what each layout is called, what is special about it, and who learns of a loss, how fast. */
import type { Layout } from '@/lib/domain/layout';

export interface LayoutText {
  readonly name: string;
  /** What is special about it for someone about to act; `null` when nothing is. */
  readonly caution: string | null;
  /** Who is told that the lock or slot is lost, and how fast. */
  readonly notices: string;
  /** The same where nobody is in view who could take over. */
  readonly alone?: { readonly caution: string; readonly notices: string };
}

const goLibrary =
  'The Go client library learns within milliseconds, if it still runs; what its program does then is its own business.';
const neverLooks = 'Its clients never check that they still hold: the process works on and is not told.';

export const layouts: Readonly<Record<Layout, LayoutText>> = {
  'go-lock': { name: 'Go api.Lock', caution: null, notices: goLibrary },
  'consul-lock': {
    name: 'consul lock',
    caution: 'consul lock, if it still runs, gives its command 5\u00a0s to end after it lost the lock.',
    notices:
      'consul lock, if it still runs, learns within milliseconds: its command gets SIGTERM, and SIGKILL after 5\u00a0s.',
  },
  terraform: {
    name: 'Terraform state lock',
    caution:
      'A Terraform run that is still alive takes the lock again with a new session. Its lock-delay is 5\u00a0s, and the lock info stays behind.',
    notices:
      'A Terraform run that is still alive takes the lock again with a new session and goes on. The lock info stays behind either way.',
  },
  vault: {
    name: 'Vault HA lock',
    caution: 'Releasing it makes the active Vault step down; a standby takes over.',
    notices: 'The active Vault steps down, and a standby takes over.',
  },
  'patroni-leader': {
    name: 'Patroni leader',
    caution:
      'Destroying this session starts a PostgreSQL failover at once: the leader and the member key go together, with a lock-delay of 1\u00a0ms.',
    notices:
      'Patroni on the other nodes starts a PostgreSQL failover at once; the old leader steps down when it next looks.',
    alone: {
      caution:
        'Destroying this session deletes the leader and the member key together, with a lock-delay of 1\u00a0ms. No other Patroni member is in view to take over.',
      notices:
        'No other Patroni member is in view to take over. A leader that still runs may take the lock again with a new session.',
    },
  },
  'patroni-member': {
    name: 'Patroni member',
    caution: 'This key belongs to a Patroni member; the same session may hold the leader lock.',
    notices: 'Patroni takes this member for gone until it writes its key again, at its next round.',
  },
  'consul-template': { name: 'consul-template de-duplication', caution: null, notices: goLibrary },
  'consul-esm': { name: 'consul-esm leader', caution: null, notices: goLibrary },
  'java-lock': {
    name: 'Java article lock',
    caution: 'Its clients never check that they still hold it: the holder works on after a release.',
    notices: neverLooks,
  },
  plain: {
    name: 'plain acquire',
    caution: null,
    notices: 'Whether the process notices depends on its program; nothing tells it.',
  },
  'go-semaphore': {
    name: 'Go api.Semaphore (map)',
    caution: null,
    notices:
      'Go clients that still run learn within milliseconds. consul lock then sends its command SIGTERM, and SIGKILL after 5\u00a0s: so long it runs beside its successor.',
  },
  'guide-list': {
    name: 'HashiCorp guide (list)',
    caution: 'The guide leaves the client to its reader: what its clients notice cannot be known.',
    notices: 'The guide leaves the client to its reader: what its clients notice cannot be known.',
  },
  'java-semaphore': {
    name: 'Java article semaphore (list)',
    caution: 'Its clients never watch their slot: an evicted holder works on.',
    notices: 'Its clients never watch their slot: an evicted holder works on and is not told.',
  },
  unreadable: {
    name: 'unreadable .lock',
    caution: 'Signalbox writes back only shapes that it understood, so it does not write this one.',
    notices: 'The entry could not be understood, so nobody can tell what its clients notice.',
  },
};
