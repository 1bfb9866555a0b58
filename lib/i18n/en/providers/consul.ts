/** English: what Consul says in its own words. */
import type { ConsulLockLayout, ConsulSemaphoreLayout, consulOutages } from '@/lib/domain/codes/consul';

const goLibrary =
  'The Go client library learns within milliseconds, if it still runs. Its program decides what to do then.';
const guide = 'The guide leaves the client to its reader. Signalbox cannot know what its clients notice.';

/** An outage of Signalbox's own way to a server. */
export const viewOnly = 'This alone changes nothing for holders and waiters. Only this view is blind.';

/** Every part is complete, or does not compile. */
export const consul = {
  layouts: {
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
      notices: 'Its clients never check that they still hold: the process keeps working, unaware.',
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
    'guide-list': { name: 'HashiCorp guide (list)', caution: guide, notices: guide },
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
  } satisfies Record<ConsulLockLayout | ConsulSemaphoreLayout, unknown>,
  outages: {
    'connections-not-taken': {
      short: 'connections refused',
      title: 'Consul closes new connections at once, without an answer.',
      means: `An agent at its limit of connections from one address does that (200 by default; Consul up to 1.8 stays silent). So does a proxy or an agent in trouble: Signalbox cannot tell which. ${viewOnly}`,
      next: 'Count the connections from this machine to the agent’s port. Close some, or raise limits.http_max_conns_per_client.',
    },
    'no-server': {
      short: 'no Consul server known',
      title: 'The Consul agent lost all servers.',
      means:
        'The agent can forward nothing. If the servers run elsewhere, locks keep working there. Clients of this agent cannot renew.',
      next: 'Check the network between this agent and the servers (consul members).',
    },
    'leader-changing': {
      short: 'leader changing',
      title: 'Consul lost its leader during a call.',
      means:
        'An election is likely under way. For some seconds no lock can be taken or freed. A new leader restarts every TTL.',
      next: 'Wait a few seconds. If it persists, check the servers’ logs.',
    },
    'datacenter-away': {
      short: 'datacenter not reached',
      title: 'The Consul agent answers, but does not reach the datacenter of this source.',
      means: `The datacenter may be down, or only the link between the two. ${viewOnly}`,
      next: 'Check the link between the datacenters (consul members -wan), and the name after dc= in SIGNALBOX_SOURCES.',
    },
    'old-copy': {
      short: 'an old copy',
      title: 'Consul has no leader. You see one server’s own copy.',
      means:
        'The copy may lag behind the cluster. No lock can be taken or freed until there is a leader. Holders keep their locks.',
      next: 'Check that a majority of the servers runs. Do not rely on this view for current holders.',
    },
    'leader-rate-limited': {
      short: 'leader rate limited',
      title: 'Consul’s leader limits the rate of requests (503).',
      means:
        'Held locks stay held. Only the leader could answer, so no other server helps. Consul may also refuse clients’ renewals and acquisitions.',
      next: 'Signalbox asks less often until Consul accepts it. Find the source of the writes, or raise limits.request_limits.',
    },
    'no-room': {
      short: 'no room for this token',
      title: 'Signalbox has no room for the rights of this token.',
      means:
        'Signalbox follows a bounded number of tokens with different rights. Your token sees nothing now. No lock is affected.',
      next: 'Signalbox tries again every 2.5 s. A token with the policies of a colleague who sees the page works at once.',
    },
  } satisfies Record<(typeof consulOutages)[number], unknown>,
};
