/**
 * English, part one: what verdicts and lamps are called, and how since and ends are said. Parameters arrive formatted,
 * so that a translation never touches numbers or times.
 */
import type { Verdict } from '@/lib/domain/model';
import { formatCount } from '@/lib/i18n/format/format';

const plural = new Intl.PluralRules('en');
const small = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** A count in a sentence: words below ten, digits with separators from there on. */
export function countWord(n: number): string {
  return small[n] ?? formatCount(n);
}

/** `one slot`, `two slots`, `12 slots`. */
export function counted(n: number, one: string, many: string): string {
  return `${countWord(n)} ${plural.select(n) === 'one' ? one : many}`;
}

/** First letter large. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

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
