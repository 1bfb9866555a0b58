/** English: the page of findings. */
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';
import type { Need } from '@/lib/domain/findings/need';
import { capital, counted, countWord } from '@/lib/i18n/en/plural';

export const findingsPage = {
  title: 'Findings',
  /** The sentence with the number of findings and notices below. */
  sentence: (need: Need, findings: number, notices: number) => {
    const below = [
      ...(findings === 0 ? [] : [counted(findings, 'finding', 'findings')]),
      ...(notices === 0 ? [] : [counted(notices, 'notice', 'notices')]),
    ];
    const list = below.length === 0 ? '' : ` Below: ${below.join(', ')}.`;
    if (need.all === 0)
      return `${findings === 0 ? 'Nothing in view needs attention.' : 'No lock or semaphore in view needs attention.'}${list}`;
    const when =
      need.now === 0
        ? 'none urgent'
        : need.now === need.all
          ? need.all === 1
            ? 'urgent'
            : 'all urgent'
          : `${countWord(need.now)} urgent`;
    return `${capital(counted(need.all, 'needs', 'need'))} attention, ${when}.${list}`;
  },
  severities: {
    urgent: { title: 'Urgent', chip: 'Urgent' },
    warning: { title: 'Warnings', chip: 'Warnings' },
    notice: { title: 'Notices', chip: 'Notices' },
  },
  /** Heads of the two parts of the list: what needs attention, and what only informs. */
  parts: {
    attention: 'Needs attention',
    notices: 'Notices: good to know, none needs attention',
  },
  /** Precedes the advice on a finding for screen readers. */
  advice: 'Advice',
  all: 'All',
  show: 'Show',
  kind: 'kind',
  any: 'any',
  search: 'Key, prefix or session',
  why: (n: number) => (n === 0 ? 'Why' : `Why (${n})`),
  wants: 'waits for',
  /** Shown where there are more grounds than are listed. */
  more: (shown: number, all: number) => `${shown} of ${all} listed.`,
  inGraph: 'Show in the graph',
  instead: 'Or end another',
  /** Around the time at which a severity falls. */
  calm: (to: 'urgent' | 'warning' | 'notice') => [`Drops to ${to} at `, ' unless it worsens.'] as const,
  gone: 'Cleared',
  /** Over findings that are all gone. */
  cleared: 'Cleared',
  showAll: (n: number) => `Show all ${n}`,
  prune: {
    select: (name: string) => `Select ${name}`,
    all: (n: number) => `Select all ${n}`,
    button: (n: number) => (n === 0 ? 'Prune selected' : `Prune ${counted(n, 'semaphore', 'semaphores')}…`),
    none: 'Select semaphores to prune first.',
    /** `elsewhere`: how many of them are ticked under other headings. */
    note: (elsewhere: number) =>
      `One plan for all${elsewhere === 0 ? '' : `, ${countWord(elsewhere)} from other groups`}; one outcome each.`,
  },
  empty: {
    none: 'No findings.',
    noneText:
      'No rule matches a lock, semaphore or session in view. Signalbox cannot judge what is not in view: waiters of plain locks, and keys that it may not read.',
    filtered: 'No finding matches.',
    filteredText: 'Remove a filter to see the others.',
  },
};

/** `mended`: 1 where one of our actions does it. */
export const owners: {
  readonly [C in FindingCode]: (facts: FindingFacts[C] & { readonly mended: 0 | 1 }) => string;
} = {
  'ghost-slots': ({ mended, holds }) =>
    mended
      ? holds === 'lease'
        ? 'Sweep them here, as the next client that asks would. A client that overran its lease may still work.'
        : 'Prune them here. A process that has not noticed its loss may still work.'
      : 'Ask the client owner. Signalbox cannot prune here: it does not understand the entry, or the server refuses to write it.',
  'over-limit': () => 'Ask the client owner which holder may stop. Evict that one, or raise the limit.',
  'overdue-holder': () => 'Unless it renews, its time runs out and the server frees it. To free it now, act.',
  'suspect-holder': () => 'Ask the holder’s owner whether the process still runs. If it is dead, act.',
  'endless-holder': ({ holders, label, waiting, holds }) =>
    (waiting ?? 0) === 0
      ? holds === 'lease'
        ? 'Client fix: take it with a lease.'
        : 'Client fix: give the session a TTL and renew it.'
      : `Ask the owner of ${holders === 1 ? label : 'these holders'} whether the process still runs. If it is dead, evict it.`,
  'unreadable-entry': ({ named }) =>
    named === 0
      ? 'Client fix: stop the clients, delete the semaphore here, start them again.'
      : 'Client fix: stop the clients, delete .lock by hand, start them again. It may name holders, so Signalbox does not delete it.',
  'wrong-flags': () =>
    'A Go holder that leaves writes the right flags back. If none is left: stop the clients and delete the semaphore.',
  'limit-disagreement': () => 'Client fix: deploy every client with one limit, or resize to their limit.',
  herd: () =>
    'Client fix: fewer contenders, a queue, or clients that wait in order. A larger limit helps only as far as the work allows.',
  flapping: () =>
    'Client fix: check why holders give up so soon (crashes, failed elections), or hold it for longer work.',
  deadlock: () => 'End any one; the others proceed. The proposed one holds least and came last.',
  'dead-queue-head': ({ mended, free, behind }) =>
    mended
      ? free === 1 && behind > 0
        ? 'Remove the entry here, and each such entry behind it: the next client in the queue then gets in.'
        : 'Remove the entry here, so that it is in nobody’s way.'
      : 'Ask the client owner. Signalbox cannot remove it here.',
  'sleeping-waiters': ({ mended }) =>
    mended
      ? 'Wake them here: nothing that is stored changes.'
      : 'They wake when what they wait for times out. Restart one, or wait.',
  'sleeping-readers': ({ mended }) =>
    mended
      ? 'Wake them here: nothing that is stored changes.'
      : 'Readers wake when the lease that they read would have ended.',
  'same-thread-removed': () =>
    'Ask the client owner whether its unlock() has failed. If it has, release this one, too.',
  'no-lock-delay': () => 'Client fix: set a lock-delay or check the fencing token.',
  'session-leak': () => 'Ask its creator.',
};
