/** English, part three: the board. */
import type { FindingCode } from '@/lib/domain/findings/finding';
import { formatCount } from '@/lib/i18n/format/format';
import { findings as findingWords } from './findings';
import { capital, counted, countWord } from './plural';

/** British English puts no comma before the last `and`. */
const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });

export const board = {
  title: 'Board',
  counts: (locks: number, semaphores: number, sessions: number) =>
    `${formatCount(locks)} ${locks === 1 ? 'lock' : 'locks'}, ${formatCount(semaphores)} ${
      semaphores === 1 ? 'semaphore' : 'semaphores'
    }, ${formatCount(sessions)} ${sessions === 1 ? 'session' : 'sessions'}.`,
  /** That everything moves would be more than is known: who waits for a plain lock is not visible. */
  quiet: 'Nothing in view needs a human.',
  quietWaiting: (n: number) =>
    `Nothing in view needs a human. ${capital(counted(n, 'session waits', 'sessions wait'))} for a slot.`,
  /** `findings` are the codes that need a human, each with how many subjects it is about. */
  needs: (findings: readonly { code: FindingCode; n: number }[]) =>
    `${capital(list.format(findings.map(({ code, n }) => findingWords[code].clause(n))))}.`,
  /** `n` findings of further kinds, after `needs`. */
  needsMore: (n: number) => `${capital(counted(n, 'finding', 'findings'))} more.`,
  show: {
    label: 'Show',
    all: 'All',
    human: 'Needs a human',
    locks: 'Locks',
    semaphores: 'Semaphores',
    waiting: 'Waiting',
  },
  filters: {
    verdict: 'verdict',
    layout: 'layout',
    node: 'node',
    prefix: 'prefix',
    any: 'any',
    sort: 'sort',
    group: 'group by prefix',
    clear: 'Clear filters',
  },
  sorts: {
    needs: 'needs a human first',
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
    ends: 'ends if dead',
  },
  notVisible: 'n/v',
  notVisibleNote: 'n/v: not visible. Who waits for a plain lock leaves no trace in Consul.',
  notVisibleLong: 'waiters not visible in Consul',
  /** Of the filter, where entries of some semaphores may be kept from whoever looks. */
  waitingPart: 'Only those of which somebody in view waits: others may wait whom you may not see.',
  moreMayWait: 'others may wait whom you may not see',
  waitingLong: (n: number) => (n === 0 ? 'nobody waits' : `${counted(n, 'session waits', 'sessions wait')}`),
  slots: (recorded: number | null, limit: number | null, effective: number | null) =>
    `${recorded ?? '?'}/${limit ?? '?'}${effective !== null && effective !== recorded ? ` (${effective})` : ''}`,
  slotsLong: (recorded: number | null, limit: number | null, effective: number | null) =>
    recorded === null || limit === null
      ? 'The slots cannot be read.'
      : `${recorded} of ${limit} slots recorded${effective !== null && effective !== recorded ? `, ${effective} really held` : ''}`,
  lockStates: { held: 'held', free: 'free', delayed: 'in delay', unknown: 'unknown' },
  /** What is left of a lock-delay, after its state. */
  delayRest: (rest: string) => `${rest} more`,
  more: (n: number) => `+ ${n}`,
  ghosts: (n: number, besides: boolean) => `${besides ? '+ ' : ''}${n} ${n === 1 ? 'ghost' : 'ghosts'}`,
  nobody: 'nobody',
  needsHuman: 'needs a human',
  gone: 'gone',
  changesWaiting: (n: number) => `${n} ${n === 1 ? 'change' : 'changes'} waiting`,
  changesHelp: 'Rows keep their place while the pointer or the focus is on them. Apply the new order now.',
  group: (n: number) => countWord(n),
  noGroup: 'no path',
  table: 'Locks and semaphores',
  /** The first rows of a large board, as it stands before the live view has brought the others. */
  first: (here: number, all: number) =>
    `The first ${formatCount(here)} of ${formatCount(all)}; the others come with the live view.`,
  /** Of a world that is too large for a browser. */
  firstOfLarge: (here: number, all: number) =>
    `The first ${formatCount(here)} of ${formatCount(all)}. Search or filter to find others: the server answers.`,
  showMore: 'Show more',
  shown: (shown: number, all: number) =>
    shown === all ? `${formatCount(all)} shown` : `${formatCount(shown)} of ${formatCount(all)} shown`,
  empty: {
    none: 'No lock and no semaphore is in view.',
    noneText: 'Take a lock and it appears here at once, for instance:',
    noneCommand: "consul lock -n=3 semaphore/demo 'sleep 60'",
    filtered: 'Nothing matches.',
    filteredText:
      'Search looks at keys, session ids (whole or part), session names, nodes, labels and stored values, and forgives a typo. A whole log line may be pasted.',
  },
};

/** A session without a name. */
export const unnamed = 'unnamed';

/** English: what the columns of the board mean, on a closer look. */
export const columnHelp = {
  slots: 'Recorded holders of the limit. In brackets: holders that are really there, when that differs.',
  waiting:
    'n/v: not visible. Sessions that wait for a plain lock leave no trace in Consul, so nobody can count them.',
  since: '≥: it was there already when Signalbox began to see it, so it may be older. Consul keeps no time.',
  ends: 'How long Consul takes to free it if the process is dead, from the TTL of its session.',
};
