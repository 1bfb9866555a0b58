/** English: what each finding is called, and how it is said in one clause. In full: `reports.ts`; who can mend it: `owners.ts`. */
import type { FindingCode } from '@/lib/domain/findings/finding';
import { counted, countWord } from './words';

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
