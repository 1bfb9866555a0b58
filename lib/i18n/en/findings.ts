/** English: what each finding is called, and how it is said in one clause. In full: `reports.ts`; who can mend it: `owners.ts`. */
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';
import type { Need } from '@/lib/domain/findings/need';
import { capital, counted, countWord } from './plural';

/** What a language says of one code. */
interface Words {
  /** Two or three words, for a row. */
  readonly short: string;
  /** What is wrong with `n` subjects, as a clause of the sentence on top of the board. */
  readonly clause: (n: number) => string;
  /** The same of the one that is spoken of, as a sentence: where its state alone does not say it. */
  readonly own?: string;
}

export const findings: Readonly<Record<FindingCode, Words>> = {
  'ghost-slots': {
    short: 'ghost slots',
    clause: (n) => `${counted(n, 'semaphore leaks', 'semaphores leak')} slots`,
  },
  'over-limit': {
    short: 'over limit',
    clause: (n) => `${counted(n, 'semaphore has', 'semaphores have')} more holders than its limit`,
  },
  'overdue-holder': {
    short: 'holder overdue',
    clause: (n) => `${counted(n, 'holder is', 'holders are')} probably dead`,
  },
  'suspect-holder': {
    short: 'holder suspect',
    clause: (n) => `${counted(n, 'holder is', 'holders are')} likely dead or cut off`,
  },
  'endless-holder': {
    short: 'never frees itself',
    // Held for a while after nobody waits any more, so it does not say that somebody does.
    clause: (n) => `${counted(n, 'semaphore has', 'semaphores have')} holders that never free themselves`,
  },
  'unreadable-entry': {
    short: 'unreadable',
    clause: (n) => `${counted(n, 'semaphore', 'semaphores')} cannot be read`,
  },
  'wrong-flags': {
    short: 'wrong flags',
    clause: (n) => `${counted(n, 'key carries', 'keys carry')} wrong flags`,
    own: 'Its flags are wrong.',
  },
  'limit-disagreement': {
    short: 'limit disputed',
    clause: (n) => `clients disagree about the limit of ${counted(n, 'semaphore', 'semaphores')}`,
    own: 'Its clients disagree about the limit.',
  },
  herd: {
    short: 'herd',
    clause: (n) => `${counted(n, 'semaphore has', 'semaphores have')} a herd of waiters`,
    own: 'Each change wakes all who wait.',
  },
  flapping: {
    short: 'flapping',
    clause: (n) => `${counted(n, 'subject changes', 'subjects change')} hands too fast`,
    own: 'It changes hands too fast.',
  },
  deadlock: {
    short: 'deadlock',
    clause: (n) => `there ${n === 1 ? 'is a deadlock' : `are ${countWord(n)} deadlocks`}`,
    own: 'It is in a deadlock.',
  },
  'no-lock-delay': {
    short: 'no lock-delay',
    clause: (n) => `${counted(n, 'lock has', 'locks have')} no lock-delay`,
  },
  'session-leak': {
    short: 'session leak',
    clause: (n) => `${counted(n, 'session leaks', 'sessions leak')}`,
  },
};

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

export const findingsPage = {
  title: 'Findings',
  /** How many locks and semaphores need a human, as everywhere; and how many findings and notices say so below. */
  sentence: (need: Need, findings: number, notices: number) => {
    const below = [
      ...(findings === 0 ? [] : [`${counted(findings, 'finding says', 'findings say')} why`]),
      ...(notices === 0 ? [] : [counted(notices, 'notice', 'notices')]),
    ];
    const list = below.length === 0 ? '' : ` Below: ${below.join(', and ')}.`;
    if (need.all === 0)
      return `${findings === 0 ? 'Nothing in view needs a human.' : 'No lock and no semaphore in view needs a human.'}${list}`;
    const when =
      need.now === 0
        ? 'but not at once'
        : need.now === need.all
          ? need.all === 1
            ? 'now'
            : 'all of them now'
          : `${countWord(need.now)} of them now`;
    return `${capital(counted(need.all, 'lock or semaphore needs', 'locks and semaphores need'))} a human, ${when}.${list}`;
  },
  severities: {
    urgent: { title: 'Needs a human now', chip: 'Urgent' },
    warning: { title: 'To be looked at', chip: 'Warnings' },
    notice: { title: 'Good to know', chip: 'Notices' },
  },
  all: 'All',
  show: 'Show',
  kind: 'kind',
  any: 'any',
  search: 'Key, prefix or session',
  why: (n: number) => (n === 0 ? 'Why' : `Why (${n})`),
  wants: 'waits for',
  /** Shown where there are more grounds than are listed. */
  more: (shown: number, all: number) => `${shown} of ${all} are listed.`,
  inGraph: 'See it in the graph',
  instead: 'Or part with another',
  /** Around the time at which a severity falls. */
  calm: (to: 'urgent' | 'warning' | 'notice') => [`Falls to ${to} at `, ' unless it worsens again.'] as const,
  gone: 'gone, seen at',
  /** Over findings that are all gone. */
  cleared: 'Cleared',
  showAll: (n: number) => `Show all ${n}`,
  prune: {
    select: (name: string) => `Select ${name}`,
    all: (n: number) => `Select all ${n}`,
    button: (n: number) =>
      n === 0 ? 'Prune the selected' : `Prune ${counted(n, 'semaphore', 'semaphores')}…`,
    none: 'Select semaphores to prune first.',
    /** `elsewhere`: how many of them are ticked under other headings. */
    note: (elsewhere: number) =>
      `One plan over all of them${elsewhere === 0 ? '' : `, ${countWord(elsewhere)} from other groups`}, one outcome each.`,
  },
  empty: {
    none: 'Nothing is found.',
    noneText:
      'No rule speaks of any lock, semaphore or session in view. What is not in view is not judged: waiters of plain locks, and keys that may not be read.',
    filtered: 'No finding matches.',
    filteredText: 'Take a filter away to see the others.',
  },
};
