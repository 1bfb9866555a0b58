/**
 * English: verdicts, lamps, since and ends. Parameters arrive formatted, so that a translation never touches numbers or
 * times.
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
  /** Before the instant: `held 17 min, since 05:20:11`. */
  held: (age: string, time: string) => `held ${age}, since ${time}`,
  observedBasis: 'Signalbox saw it happen.',
  atLeastBasis: 'Already there when Signalbox started watching. Nothing records when.',
  valueBasis: 'From its own record.',
  unknown: 'unknown',
};

export const expiry = {
  short: {
    observed: (rest: string) => `by ${rest}`,
    bounded: (within: string) => `≤ ${within}`,
    withNode: 'with its node',
    withServer: 'with a server',
    never: 'never',
    unknown: 'unknown',
    ghost: 'never on its own',
    lease: (at: string) => `by ${at}`,
  },
  observed: (latest: string) => `Ends by ${latest} unless renewed.`,
  bounded: (within: string) =>
    `Ends within ${within} if its process is dead (2 × TTL; a leader election restarts the clock).`,
  withNode: 'Ends when the session’s node fails or leaves, not when its process dies.',
  withServer: 'Ends when its session’s Consul server fails or leaves. The holder’s death does not end it.',
  never: 'Never ends on its own. Only a person or its client can free it.',
  unknown: 'Unknown: no readable fact says when.',
  lease: (at: string) => `Its lease ends at ${at} unless renewed.`,
  ghost: 'Never on its own. The record stays until a client or a person prunes it.',
};

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
  /** The meaning of `alive` where the bound is known: a dead process keeps its session until then. */
  aliveWithin: (within: string) =>
    `Its session is alive and its checks pass. If its process has died, Consul ends the session within ${within}.`,
};
