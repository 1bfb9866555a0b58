/**
 * English, part one: what verdicts and lamps are called, and how since and ends are said. Parameters arrive formatted,
 * so that a translation never touches numbers or times.
 */
import type { Verdict } from '@/lib/domain/model';

export const verdicts: Readonly<Record<Verdict, { readonly word: string }>> = {
  alive: { word: 'alive' },
  overdue: { word: 'overdue' },
  suspect: { word: 'suspect' },
  'node-bound': { word: 'node-bound' },
  immortal: { word: 'immortal' },
  ghost: { word: 'ghost' },
  unknown: { word: 'unknown' },
};

export const lampWords = {
  free: { word: 'free' },
  delayed: { word: 'in delay' },
  waiting: { word: 'waiting' },
} as const;

export const since = {
  observed: (time: string) => `since ${time}`,
  atLeast: (age: string) => `≥ ${age}`,
  observedBasis: 'Signalbox saw it happen.',
  atLeastBasis:
    'It was there already when Signalbox began to see it, so it may be older. Consul keeps no time.',
  valueBasis: 'Its lock info says so.',
  unknown: 'not known',
};

export const expiry = {
  short: {
    observed: (rest: string) => `by ${rest}`,
    bounded: (within: string) => `≤ ${within}`,
    withNode: 'with its node',
    withServer: 'with a server',
    never: 'never',
    unknown: 'unknown',
    ghost: 'not by itself',
  },
  observed: (latest: string) => `If it stays silent, Consul ends it by ${latest}.`,
  bounded: (within: string) =>
    `Ends within ${within} if its process is dead (2 × TTL; a leader election starts that time anew).`,
  withNode: 'Ends when the session’s node fails or leaves, not when its process dies.',
  withServer:
    'Ends when the Consul server fails or leaves that its session is bound to. The holder’s death does not end it.',
  never: 'Never ends by itself. It holds until someone acts.',
  unknown: 'Not known: nothing that can be read here says when.',
  ghost: 'Not by itself: the record stays until a client or a person prunes it.',
};

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
