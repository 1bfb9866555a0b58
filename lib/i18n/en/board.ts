import type { FindingCode } from '@/lib/domain/findings/finding';
import { formatCount } from '@/lib/i18n/format/format';
import { findings as findingWords } from './findings';
import { capital, counted, countWord } from './plural';

export const unnamed = 'unnamed';

export const board = {
  title: 'Board',
  counts: (locks: number, semaphores: number, sessions: number) =>
    `${formatCount(locks)} ${locks === 1 ? 'lock' : 'locks'}, ${formatCount(semaphores)} ${
      semaphores === 1 ? 'semaphore' : 'semaphores'
    }, ${formatCount(sessions)} ${sessions === 1 ? 'session' : 'sessions'}.`,
  /** "Everything moves" would claim too much: waiters of a plain lock are invisible. */
  quiet: 'Nothing in view needs attention.',
  quietWaiting: (n: number) =>
    `Nothing in view needs attention. ${capital(counted(n, 'waiter', 'waiters'))}.`,
  /** `findings`: codes that need attention, each with its number of subjects. */
  needs: (findings: readonly { code: FindingCode; n: number }[]) =>
    findings.map(({ code, n }) => `${capital(findingWords[code].clause(n))}.`).join(' '),
  /** `n` findings of further kinds, after `needs`. */
  needsMore: (n: number) => `${capital(counted(n, 'more finding', 'more findings'))}.`,
  show: {
    label: 'Show',
    all: 'All',
    human: 'Needs attention',
    locks: 'Locks',
    semaphores: 'Semaphores',
    waiting: 'Waiting',
  },
  filters: {
    verdict: 'verdict',
    layout: 'client type',
    node: 'node',
    prefix: 'prefix',
    any: 'any',
    sort: 'sort',
    group: 'group by prefix',
    clear: 'Clear filters',
    /** Shows the other filters on a phone. */
    more: 'Filters',
  },
  sorts: {
    needs: 'needs attention first',
    name: 'name',
    waiting: 'most waiting',
    since: 'longest held',
    recent: 'newest holder',
  },
  columns: {
    name: 'name',
    slots: 'slots',
    waiting: 'waiting',
    holder: 'holder',
    since: 'since',
    ends: 'frees within',
    hour: 'last hour',
    why: 'needs attention',
  },
  notVisible: 'n/v',
  notVisibleNote: 'n/v: nothing records who waits for a plain lock.',
  notVisibleLong: 'waiters not visible',
  /** Entries of some semaphores may be hidden. */
  waitingPart: 'Only those with a waiter in view. There may be waiters that you may not see.',
  moreMayWait: 'there may be waiters that you may not see',
  waitingLong: (n: number) => (n === 0 ? 'no waiters' : `${counted(n, 'session waits', 'sessions wait')}`),
  slots: (recorded: number | null, limit: number | null, effective: number | null) =>
    `${recorded ?? '?'}/${limit ?? '?'}${effective !== null && effective !== recorded ? ` (${effective})` : ''}`,
  slotsLong: (recorded: number | null, limit: number | null, effective: number | null) =>
    recorded === null || limit === null
      ? 'Signalbox cannot read the slots.'
      : `${recorded} of ${limit} slots taken${effective !== null && effective !== recorded ? `, ${effective} really held` : ''}`,
  lockStates: { held: 'held', free: 'free', delayed: 'in delay', unknown: 'unknown' },
  /** The rest of a lock-delay, after its state. */
  delayRest: (rest: string) => `${rest} more`,
  more: (n: number) => `+ ${n}`,
  ghosts: (n: number, besides: boolean) => `${besides ? '+ ' : ''}${n} ${n === 1 ? 'ghost' : 'ghosts'}`,
  nobody: 'no holder',
  /** Holders that the backend does not store. */
  unnamed: 'not stored',
  /** A session without a name. */
  unnamedSession: unnamed,
  gone: 'gone',
  changesWaiting: (n: number) => `${n} ${n === 1 ? 'change' : 'changes'} waiting`,
  changesHelp: 'Rows hold still while you point at or focus them. Apply the new order now.',
  group: (n: number) => countWord(n),
  noGroup: 'no path',
  table: 'Locks and semaphores',
  /** Shown before the live view has brought the other rows. */
  first: (here: number, all: number) =>
    `The first ${formatCount(here)} of ${formatCount(all)}. The live view adds the rest.`,
  /** Shown for a world that is too large for a browser. */
  firstOfLarge: (here: number, all: number) =>
    `The first ${formatCount(here)} of ${formatCount(all)}. Search or filter to find others on the server.`,
  showMore: 'Show more',
  /** Shown on paper. */
  unprinted: (rows: number) =>
    `${formatCount(rows)} more ${rows === 1 ? 'row is' : 'rows are'} not printed. Filter the list to print them.`,
  shown: (shown: number, all: number) =>
    shown === all ? `${formatCount(all)} shown` : `${formatCount(shown)} of ${formatCount(all)} shown`,
  empty: {
    none: 'No locks or semaphores in view.',
    noneText: 'Take a lock and it appears here at once. For example:',
    noneCommand: "consul lock -n=3 semaphore/demo 'sleep 60'",
    filtered: 'Nothing matches.',
    filteredText:
      'Search covers keys, session ids (whole or part), session names, nodes, labels and stored values. It forgives a typo. You may paste a whole log line.',
  },
};

/** Shown on a closer look. */
export const columnHelp = {
  slots: 'Recorded holders, then the limit. In brackets: real holders, if fewer.',
  waiting: 'n/v: nothing records who waits for a plain lock.',
  since: '≥: already there when Signalbox started watching. Nothing records when.',
  ends: 'Longest wait before the server frees a dead holder, from its TTL or lease.',
};
