/** English: what is said where access control may keep everything, or everything of a kind, from who looks. */
import { formatCount } from '@/lib/i18n/format/format';

/** Consul leaves out what a token may not read, and does not always say that it did. */
const left = 'What the token used here may not read is not shown, and cannot be told from what is not there.';

export const sight = {
  left,
  /** On the board and on the page of findings. */
  nothing: 'Nothing is in view, so what needs a human is not known.',
  /** How many there are of each, where no session is in view. `held`: something is held all the same. */
  counts: (locks: number, semaphores: number, held: boolean) =>
    `${formatCount(locks)} ${locks === 1 ? 'lock' : 'locks'}, ${formatCount(semaphores)} ${
      semaphores === 1 ? 'semaphore' : 'semaphores'
    }, no session in view${held ? ': the token used here may not read those that hold something' : ''}.`,
  /** How many sessions there are, where no lock and no semaphore is in view. */
  sessionsAlone: (n: number) =>
    `${formatCount(n)} ${n === 1 ? 'session' : 'sessions'}, no lock and no semaphore in view.`,
  /** In place of an empty list of locks. */
  noLock: 'A lock that it may read appears here as soon as somebody takes it.',
  noSession: 'No session is in view.',
  /** Something is held all the same. */
  noneOfThem: 'No session is in view: the token used here may not read those that hold something here.',
  /** In place of an empty list of sessions. */
  needed:
    'Every lock and every slot needs a session. One that it may read appears here as soon as it is created.',
  /** Instead of what sessions hold and want, where no lock and no semaphore is in view. */
  noKey: (sessions: number) =>
    `${formatCount(sessions)} ${sessions === 1 ? 'session' : 'sessions'} in view. What ${
      sessions === 1 ? 'it holds' : 'they hold'
    } is not known: no lock and no semaphore is in view, and keys that the token used here may not read are not shown.`,
  /** On the page of findings, where something is held and no session is in view: judged by more than the person may see. */
  withheld: 'Who holds something is judged, but the token used here may not read their sessions.',
  /** The same, where it is judged by what the person may see. */
  unjudged: 'Who holds something cannot be judged: the token used here may not read their sessions.',
};
