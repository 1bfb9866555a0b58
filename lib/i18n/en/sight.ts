/** English: what is said where access control may keep everything, or everything of a kind, from who looks. */
import { formatCount } from '@/lib/i18n/format/format';

/** Consul leaves out what a token may not read, and does not always say that it did. */
const left = 'Signalbox shows only what this token may read. It cannot tell hidden from absent.';

export const sight = {
  left,
  /** On the board and on the page of findings. */
  nothing: 'Nothing in view. Whether anything needs attention is unknown.',
  /** How many there are of each, where no session is in view. `held`: something is held all the same. */
  counts: (locks: number, semaphores: number, held: boolean) =>
    `${formatCount(locks)} ${locks === 1 ? 'lock' : 'locks'}, ${formatCount(semaphores)} ${
      semaphores === 1 ? 'semaphore' : 'semaphores'
    }, no session in view${held ? ': this token may not read the sessions of holders' : ''}.`,
  /** How many sessions there are, where no lock and no semaphore is in view. */
  sessionsAlone: (n: number) =>
    `${formatCount(n)} ${n === 1 ? 'session' : 'sessions'}, no locks or semaphores in view.`,
  /** In place of an empty list of locks. */
  noLock: 'A lock that it may read appears here when a client takes it.',
  noSession: 'No sessions in view.',
  /** Something is held all the same. */
  noneOfThem: 'No sessions in view: this token may not read the sessions of holders here.',
  /** In place of an empty list of sessions. */
  needed:
    'Every lock and every slot needs a session. A session that it may read appears here when it is created.',
  /** Instead of what sessions hold and want, where no lock and no semaphore is in view. */
  noKey: (sessions: number) =>
    `${formatCount(sessions)} ${sessions === 1 ? 'session' : 'sessions'} in view. What ${
      sessions === 1 ? 'it holds' : 'they hold'
    } is unknown: no lock or semaphore is in view. Signalbox shows only keys that this token may read.`,
  /** On the page of findings, where something is held and no session is in view: judged by more than the person may see. */
  withheld: 'Signalbox judges the holders, but this token may not read their sessions.',
  /** The same, where it is judged by what the person may see. */
  unjudged: 'Signalbox cannot judge the holders: this token may not read their sessions.',
};
