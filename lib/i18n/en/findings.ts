/**
 * English: the name and the clause of each finding. The full text is in `rest/reports.ts`, the owner who can mend it in
 * `rest/findings-page.ts`.
 */
import type { FindingCode, Severity } from '@/lib/domain/findings/finding';
import { counted } from './plural';

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
  /** The clause on the subject itself, only where its state alone does not say it. */
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
    // This finding stays for a while after the last waiter left, so the clause claims no present waiter.
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
    clause: (n) => `${counted(n, 'queue is', 'queues are')} blocked by a client that is gone or stuck`,
    own: 'The first in its queue seems to be gone or stuck, and keeps the others out.',
  },
  'sleeping-waiters': {
    short: 'sleeping waiters',
    clause: (n) => `${counted(n, 'free lock has', 'free locks have')} clients that sleep beside it`,
    own: 'Clients sleep beside it.',
  },
  'sleeping-readers': {
    short: 'readers may sleep',
    clause: (n) => `${counted(n, 'lock has', 'locks have')} clients that may sleep although they could read`,
    own: 'Clients may sleep although they could read.',
  },
  'same-thread-removed': {
    short: 'may be left locked',
    clause: (n) => `${counted(n, 'lock', 'locks')} may be left locked by a MultiLock`,
    own: 'A MultiLock may leave it locked.',
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
