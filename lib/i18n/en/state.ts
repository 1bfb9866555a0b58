/** English: the state of a lock and of a semaphore, in one sentence each. */
import type { Verdict } from '@/lib/domain/model';
import { capital, counted } from './words';

const holderClause: Readonly<Record<Verdict, (label: string) => string>> = {
  alive: (label) => `Held by ${label}; its session is alive`,
  overdue: (label) => `Held by ${label}, which is probably dead`,
  suspect: (label) => `Held by ${label}, which is likely dead or cut off`,
  'node-bound': (label) => `Held by ${label}. Only the checks of its session’s node can end it`,
  immortal: (label) => `Held by ${label}. Nothing ends it but a person`,
  ghost: (label) => `Recorded for ${label}, which locks nothing here`,
  unknown: (label) => `Held by ${label}. Whether it is alive cannot be told`,
};

const doubtful: Readonly<Record<Verdict, ((n: number) => string) | null>> = {
  alive: null,
  overdue: (n) => `${capital(counted(n, 'holder is', 'holders are'))} probably dead.`,
  suspect: (n) => `${capital(counted(n, 'holder is', 'holders are'))} likely dead or cut off.`,
  'node-bound': (n) => `${capital(counted(n, 'holder ends', 'holders end'))} only with the session’s node.`,
  immortal: (n) =>
    `${capital(counted(n, 'holder', 'holders'))} never ${n === 1 ? 'frees itself' : 'free themselves'}.`,
  // A ghost's session may well exist elsewhere; what is known is that it locks no entry of this semaphore.
  ghost: (n) =>
    n === 1
      ? 'One slot leaks: the session recorded for it locks nothing here.'
      : `${capital(counted(n, 'slot leaks', 'slots leak'))}: the sessions recorded for them lock nothing here.`,
  unknown: (n) => `${capital(counted(n, 'holder', 'holders'))} cannot be judged.`,
};

export const lock = {
  held: (verdict: Verdict, label: string, bound: string | null) =>
    `${holderClause[verdict](label)}${bound === null ? '' : `. ${bound}`}.`,
  boundToServer: (label: string) =>
    `Held by ${label}. Its session is bound to a Consul server: the holder’s death does not end it.`,
  bound: {
    bounded: (within: string) => `If its process is dead, Consul frees it within ${within}`,
    /** Its session ends then; who may take the lock next, and when, is another matter. */
    observed: (latest: string) => `If it stays silent, Consul ends its session by ${latest}`,
  },
  free: 'Free. Nobody holds this lock.',
  delayed: (rest: string | null) =>
    rest === null
      ? 'Free, but Consul refuses it to everyone for now (lock-delay).'
      : `Free, but Consul refuses it for ${rest} more (lock-delay).`,
  unknown: 'Whether anyone holds this lock cannot be told.',
  waiters:
    'Those who wait for a plain lock leave no trace in Consul, so they are not visible. That is not the same as none.',
};

export const semaphore = {
  /** `part`: some who wait may be kept from whoever looks. */
  slots: (recorded: number, limit: number, effective: number | null, waiting: number, part = false) =>
    `${recorded} of ${limit} slots ${effective !== null && effective !== recorded ? `recorded, ${effective} really held` : 'held'}, ${
      waiting === 0 ? (part ? 'nobody in view waiting' : 'nobody waiting') : `${waiting} waiting`
    }${part ? '; others may wait whom you may not see' : ''}.`,
  unreadable: (waiting: number, part = false) =>
    `The coordination entry cannot be read${waiting === 0 ? '' : `; ${waiting} ${waiting === 1 ? 'waits' : 'wait'}`}${part ? '; others may wait whom you may not see' : ''}. Nobody can tell how many may enter.`,
  unreadableHolders: (limit: number, waiting: number, part = false) =>
    `The limit is ${limit}. Who holds a slot cannot be read${waiting === 0 ? '' : `; ${waiting} ${waiting === 1 ? 'waits' : 'wait'}`}${part ? '; others may wait whom you may not see' : ''}.`,
  doubtful,
  /** The session ends; the record in `.lock` stays until a client or a person prunes it. */
  overdueUntil: (n: number, until: string) =>
    `${capital(counted(n, 'holder is', 'holders are'))} probably dead: if ${n === 1 ? 'it stays silent, Consul ends its session' : 'they stay silent, Consul ends their sessions'} by ${until}.`,
  free: (n: number) => `${capital(counted(n, 'slot is', 'slots are'))} free.`,
  over: (n: number) => `${capital(counted(n, 'holder', 'holders'))} more than the limit allows.`,
};

/** Of a lock whose key is gone while its name is in delay. */
export const goneSentence = (rest: string | null) =>
  rest === null
    ? 'The key is gone, and Consul refuses its name to everyone for now (lock-delay).'
    : `The key is gone, and Consul refuses its name to everyone for ${rest} more (lock-delay).`;
