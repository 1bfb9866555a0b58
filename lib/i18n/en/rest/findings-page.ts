/** English: the page of findings. */

import type { Need } from '@/lib/domain/findings/need';
import { capital, counted, countWord } from '@/lib/i18n/en/plural';

export const findingsPage = {
  title: 'Findings',
  /** With the number of findings and notices below. */
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
  /** For screen readers, before what to do about a finding. */
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
