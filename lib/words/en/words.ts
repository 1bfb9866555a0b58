/**
 * English, part one: verdicts, lamps, and how since and ends are said. Parameters arrive formatted,
 * so that a translation never touches numbers or times.
 */
import type { Verdict } from '@/lib/domain/model';
import { formatCount } from '@/lib/words/format';

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

export const verdicts: Readonly<Record<Verdict, { readonly word: string; readonly meaning: string }>> = {
  alive: {
    word: 'alive',
    meaning:
      'Its session is alive and its checks pass. If its process has died, Consul ends the session within two TTLs, or when a check fails.',
  },
  overdue: {
    word: 'overdue',
    meaning: 'Its renewals were seen and have stopped for more than one TTL. It is probably dead.',
  },
  suspect: {
    word: 'suspect',
    meaning:
      'Its session exists, but its node or a check is critical, or the node has left. Likely dead or cut off.',
  },
  'node-bound': {
    word: 'node-bound',
    meaning:
      'Its session has no TTL; only its node’s checks can end it. A dead process on a living node holds for ever.',
  },
  immortal: {
    word: 'immortal',
    meaning: 'Its session has no TTL and no check. It never frees itself, not even when its node dies.',
  },
  ghost: {
    word: 'ghost',
    meaning:
      'Recorded in .lock, but no key here is locked by its session. The slot leaks until someone prunes it.',
  },
  unknown: {
    word: 'unknown',
    meaning: 'What is needed to judge could not be read. That is not the same as dead.',
  },
};

export const lampWords = {
  free: { word: 'free', meaning: 'Nobody holds this slot.' },
  delayed: {
    word: 'in delay',
    meaning: 'Free, but Consul refuses it to everyone until the lock-delay is over.',
  },
  waiting: { word: 'waiting', meaning: 'A session that wants a slot and has none.' },
} as const;

export const since = {
  observed: (time: string) => `since ${time}`,
  atLeast: (age: string) => `≥ ${age}`,
  observedBasis: 'Signalbox saw it happen.',
  atLeastBasis:
    'It was there already when this view of Consul began, so it may be older. Consul keeps no time.',
  valueBasis: 'Its lock info says so.',
  unknown: 'not known',
};

export const expiry = {
  /** The meaning of `alive` where the bound is known: a dead process keeps its session until then. */
  aliveWithin: (within: string) =>
    `Its session is alive and its checks pass. If its process has died, Consul ends the session within ${within}.`,
  short: {
    observed: (rest: string) => `by ${rest}`,
    bounded: (within: string) => `≤ ${within}`,
    withNode: 'with its node',
    never: 'never',
    unknown: 'unknown',
    ghost: 'not by itself',
  },
  observed: (latest: string) => `If it stays silent, Consul ends it by ${latest}.`,
  bounded: (within: string) =>
    `Ends within ${within} if its process is dead (2 × TTL; a leader election starts that time anew).`,
  withNode: 'Ends when its node fails or leaves, not when its process dies.',
  never: 'Never ends by itself. It holds until someone acts.',
  unknown: 'Not known: nothing that can be read here says when.',
  ghost: 'Not by itself: the record stays until a client or a person prunes it.',
};
