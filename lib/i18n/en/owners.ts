/** English: who can mend what a finding says, and how, where none of our actions does it alone. */
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';

/** `mended`: 1 where one of our actions does it. */
export const owners: {
  readonly [C in FindingCode]: (facts: FindingFacts[C] & { readonly mended: 0 | 1 }) => string;
} = {
  'ghost-slots': ({ mended }) =>
    mended
      ? 'Prune them here: no client uses these slots.'
      : 'The owner of the clients. Nothing is pruned from here: the entry cannot be understood, or Consul refuses to write it.',
  'over-limit': () =>
    'The owner of the clients: which holder may be stopped is theirs to say. Evict that one, or raise the limit.',
  'overdue-holder': () => 'If it stays silent, Consul ends its session by itself; to free it now, act.',
  'suspect-holder': () =>
    'Whoever runs the node: see whether the process is still at work. If it is dead, act.',
  'endless-holder': ({ holders, label, waiting }) =>
    (waiting ?? 0) === 0
      ? 'The owner of the client: give the session a TTL and renew it.'
      : `Ask the owner of ${holders === 1 ? label : 'these holders'} whether the process still runs. If it is dead, evict it.`,
  'unreadable-entry': ({ named }) =>
    named === 0
      ? 'The owner of the clients: stop them, delete the semaphore here, start them again.'
      : 'The owner of the clients: stop them, delete .lock by hand, start them again. It may name holders, so Signalbox does not delete it.',
  'wrong-flags': () =>
    'A Go holder that leaves writes the right flags back. If none is left: the owner of the clients deletes the semaphore while they are stopped.',
  'limit-disagreement': () =>
    'The owner of the clients: deploy all of them with one limit, or resize to what they ask for.',
  herd: () =>
    'The owner of the clients: fewer contenders, a queue in front, or clients that wait in order. A larger limit only helps as far as the work allows it.',
  flapping: () =>
    'The owner of the clients: see why holders give up so soon (crashes, failed elections), or hold it for longer pieces of work.',
  deadlock: () => 'End any one of them and the others go on. The one proposed holds least and came last.',
  'no-lock-delay': () =>
    'The owner of the client: a session with a lock-delay, or work that checks the fencing token.',
  'session-leak': () => 'Whoever made it.',
};
