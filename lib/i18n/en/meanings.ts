/** English: what each verdict and each lamp means. */
import type { Verdict } from '@/lib/domain/model';

const kinds: Readonly<Record<Verdict | 'free' | 'delayed' | 'waiting', string>> = {
  alive:
    'Its session is alive and its checks pass. If its process has died, Consul ends the session within two TTLs, or when a check fails.',
  overdue: 'Its renewals were seen and have stopped for more than one TTL. It is probably dead.',
  suspect:
    'Its session exists, but its node or a check is critical, or the node has left. Likely dead or cut off.',
  'node-bound':
    'Its session has no TTL. Only the checks of the session’s node can end it. A dead process holds for ever while that node lives.',
  immortal: 'Its session has no TTL and no check. It never frees itself, not even when its node dies.',
  ghost:
    'Recorded in .lock, but no key here is locked by its session. The slot leaks until someone prunes it.',
  unknown: 'What is needed to judge could not be read. That is not the same as dead.',
  free: 'Nobody holds this slot.',
  delayed: 'Free, but Consul refuses it to everyone until the lock-delay is over.',
  waiting: 'A session that wants a slot and has none.',
};

export const meanings = {
  ...kinds,
  /** The meaning of `alive` where the bound is known: a dead process keeps its session until then. */
  aliveWithin: (within: string) =>
    `Its session is alive and its checks pass. If its process has died, Consul ends the session within ${within}.`,
};
