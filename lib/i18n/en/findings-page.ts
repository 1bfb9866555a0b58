/** English: the page of findings. */
import type { Need } from '@/lib/domain/findings/need';
import { capital, counted, countWord } from './words';

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
