/** English: the state of a lock or a semaphore in a sentence. */
import type { Verdict } from '@/lib/domain/model';
import { holding } from './holding';
import { capital, counted, countWord } from './plural';

const holderClause: Readonly<Record<Verdict, (label: string) => string>> = {
  alive: (label) => `Held by ${label}; its session is alive`,
  overdue: (label) => `Held by ${label}, which is probably dead`,
  suspect: (label) => `Held by ${label}, which is likely dead or cut off`,
  'node-bound': (label) => `Held by ${label}. Only the checks of its session’s node can end it`,
  immortal: (label) => `Held by ${label}. Only a person can free it`,
  ghost: (label) => `Recorded for ${label}, which locks nothing here`,
  unknown: (label) => `Held by ${label}. Whether it is alive is unknown`,
};

const doubtful: Readonly<Record<Verdict, ((n: number) => string) | null>> = {
  alive: null,
  overdue: (n) => `${capital(counted(n, 'holder is', 'holders are'))} probably dead.`,
  suspect: (n) => `${capital(counted(n, 'holder is', 'holders are'))} likely dead or cut off.`,
  'node-bound': (n) => `${capital(counted(n, 'holder ends', 'holders end'))} only with the session’s node.`,
  immortal: (n) =>
    `${capital(counted(n, 'holder', 'holders'))} never ${n === 1 ? 'frees itself' : 'free themselves'}.`,
  // A ghost's session may exist elsewhere; it locks no entry of this semaphore.
  ghost: (n) =>
    n === 1
      ? 'One slot leaks: its session holds nothing here.'
      : `${capital(counted(n, 'slot leaks', 'slots leak'))}: their sessions hold nothing here.`,
  unknown: (n) => `${capital(counted(n, 'holder', 'holders'))} cannot be judged.`,
};

const lock = {
  held: (verdict: Verdict, label: string, bound: string | null) =>
    `${holderClause[verdict](label)}${bound === null ? '' : `. ${bound}`}.`,
  boundToServer: (label: string) =>
    `Held by ${label}. Its session is bound to a Consul server: the holder’s death does not end it.`,
  bound: {
    bounded: (within: string) => `If its process is dead, the server frees it within ${within}`,
    /** Only its session ends then; the next holder is another matter. */
    observed: (latest: string) => `Its session ends by ${latest} unless renewed`,
  },
  free: 'Free. No session holds this lock.',
  /** For clients without a session. */
  freeOfLeases: 'Free. No client holds this lock.',
  delayed: (rest: string | null) =>
    rest === null
      ? 'Free, but Consul refuses it to everyone for now (lock-delay).'
      : `Free, but Consul refuses it for another ${rest} (lock-delay).`,
  unknown: 'Whether a session holds this lock is unknown.',
  waiters: 'Nothing records who waits for a plain lock. There may still be some.',
};

const semaphore = {
  /** `part`: some waiters may be hidden. */
  slots: (recorded: number, limit: number, effective: number | null, waiting: number, part = false) =>
    `${recorded} of ${limit} slots ${effective !== null && effective !== recorded ? `taken, ${effective} really held` : 'held'}, ${
      waiting === 0 ? (part ? 'no waiters in view' : 'no waiters') : `${waiting} waiting`
    }${part ? '; there may be waiters that you may not see' : ''}.`,
  unreadable: (waiting: number, part = false) =>
    `The coordination entry is unreadable${waiting === 0 ? '' : `; ${waiting} ${waiting === 1 ? 'waits' : 'wait'}`}${part ? '; there may be waiters that you may not see' : ''}. How many may enter is unknown.`,
  /** Rights hide some entries; nothing is wrong with them. `limit`: `null` where it is hidden, too. */
  holdersHidden: (limit: number | null) =>
    `${limit === null ? '' : `The limit is ${limit}. `}Some entries here may not be read, so who holds a slot and who waits is unknown.`,
  unreadableHolders: (limit: number, waiting: number, part = false) =>
    `The limit is ${limit}. The holders are unreadable${waiting === 0 ? '' : `; ${waiting} ${waiting === 1 ? 'waits' : 'wait'}`}${part ? '; there may be waiters that you may not see' : ''}.`,
  doubtful,
  /** Instead of the plain `node-bound`. */
  boundToServer: (n: number) =>
    n === 1
      ? 'One holder’s session is bound to a Consul server: the holder’s death does not end it.'
      : `${capital(countWord(n))} holders’ sessions are bound to a Consul server: the holders’ deaths do not end them.`,
  /** The session ends; the record stays until a client or a person prunes it. */
  overdueUntil: (n: number, until: string) =>
    `${capital(counted(n, 'holder is', 'holders are'))} probably dead. ${n === 1 ? 'Its session ends' : 'Their sessions end'} by ${until} unless renewed.`,
  free: (n: number) => `${capital(counted(n, 'slot is', 'slots are'))} free.`,
  over: (n: number) => `${capital(counted(n, 'holder', 'holders'))} more than the limit allows.`,
};

/** The lock's key is gone, and its name is under a delay. */
const goneSentence = (rest: string | null) =>
  rest === null
    ? 'The key is gone. Consul refuses its name to everyone for now (lock-delay).'
    : `The key is gone. Consul refuses its name to everyone for another ${rest} (lock-delay).`;

export const subject = { lock, semaphore, holding };

export const delay = { goneSentence };
