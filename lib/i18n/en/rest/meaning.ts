/** English: what a verdict means. */
import type { Verdict } from '@/lib/domain/model';

const kinds: Readonly<Record<Verdict | 'free' | 'delayed' | 'waiting', string>> = {
  alive:
    'Its session is alive and its checks pass. If its process has died, Consul ends the session within two TTLs, or when a check fails.',
  overdue: 'Its renewals were seen, then stopped for more than one TTL. It is probably dead.',
  suspect:
    'Its session exists, but its node or a check is critical, or the node has left. Likely dead or cut off.',
  'node-bound':
    'Its session has no TTL. Only its node’s checks can end it. A dead process keeps holding while that node lives.',
  immortal: 'Its session has no TTL and no check. It never frees itself, not even when its node dies.',
  ghost:
    'Recorded in .lock, but its session locks no key here. The slot leaks until a client or a person prunes it.',
  unknown: 'Signalbox could not read the facts it needs. Unknown does not mean dead.',
  free: 'No session holds this slot.',
  delayed: 'Free, but Consul refuses it to everyone until the lock-delay is over.',
  waiting: 'A session that waits for a slot.',
};

export const meanings = {
  ...kinds,
  /** The meaning of `node-bound` where the node is a Consul server. */
  boundToServer:
    'Its session has no TTL and is bound to a Consul server. Only that server’s checks can end it. It outlives its process and its machine.',
  /** The meaning of `alive` where the bound is known: a dead process keeps its session until then. */
  aliveWithin: (within: string) =>
    `Its session is alive and its checks pass. If its process has died, Consul ends the session within ${within}.`,
};
