/** English: each finding: its name, its clause, the page of findings, and who can mend it. In full: `reports.ts`. */
import type { FindingCode, FindingFacts, Severity } from '@/lib/domain/findings/finding';
import type { Need } from '@/lib/domain/findings/need';
import { capital, counted, countWord } from './plural';

/** A severity beside its mark, for who cannot see the mark. */
export const severities: Readonly<Record<Severity, string>> = {
  urgent: 'urgent',
  warning: 'warning',
  notice: 'notice',
};

/** A language's words for one code. */
interface Words {
  /** Two or three words, for a row. */
  readonly short: string;
  /** One of the short sentences on top of the board, for `n` subjects. */
  readonly clause: (n: number) => string;
  /** For the subject itself, only where its state alone does not say it. */
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
    clause: (n) =>
      n === 1
        ? 'one lock or semaphore has a holder that never frees itself'
        : `${counted(n, '', 'locks or semaphores')} have holders that never free themselves`,
  },
  'unreadable-entry': {
    short: 'unreadable',
    clause: (n) => `${counted(n, 'semaphore is', 'semaphores are')} unreadable`,
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
    own: 'Each change wakes every waiter.',
  },
  flapping: {
    short: 'flapping',
    clause: (n) => `${counted(n, 'subject changes', 'subjects change')} hands too fast`,
    own: 'It changes hands too fast.',
  },
  deadlock: {
    short: 'deadlock',
    clause: (n) => counted(n, 'deadlock', 'deadlocks'),
    own: 'It is in a deadlock.',
  },
  'dead-queue-head': {
    short: 'dead queue head',
    clause: (n) => `${counted(n, 'queue is', 'queues are')} blocked by a dead client`,
    own: 'The first in its queue seems to be gone and keeps the others out.',
  },
  'sleeping-waiters': {
    short: 'sleeping waiters',
    clause: (n) => `${counted(n, 'free lock has', 'free locks have')} clients that sleep beside it`,
    own: 'Clients sleep beside it.',
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
      : 'Ask the client owner. Signalbox cannot prune here: it does not understand the entry, or the server refuses to write it.',
  'over-limit': () => 'Ask the client owner which holder may stop. Evict that one, or raise the limit.',
  'overdue-holder': () => 'Unless it renews, its time runs out and the server frees it. To free it now, act.',
  'suspect-holder': () => 'Ask the node’s owner whether the process still runs. If it is dead, act.',
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
  'dead-queue-head': ({ mended }) =>
    mended
      ? 'Remove the dead entry here: the next in the queue gets in at once.'
      : 'Ask the client owner. Signalbox cannot remove it here.',
  'sleeping-waiters': ({ mended }) =>
    mended
      ? 'Wake them here: nothing that is stored changes.'
      : 'They wake when what they wait for times out. Restart one, or wait.',
  'no-lock-delay': () => 'Client fix: set a lock-delay or check the fencing token.',
  'session-leak': () => 'Ask its creator.',
};
