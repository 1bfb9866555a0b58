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
  /** Precedes the instant: `held 17 min, since 05:20:11`. */
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
