/** English: the buttons of actions, and every expected failure. The words of their dialog are in `rest/action.ts`. */
import type { Action } from '@/lib/domain/actions/action';
import type { ProblemCode } from '@/lib/domain/problem';
import type { WhyFacts } from '@/lib/domain/refusal';

export const action = {
  ghosts: (n: number) => `${n} ${n === 1 ? 'ghost' : 'ghosts'}`,
  /** The button's text: verb and object. */
  buttons: {
    'lock.release': (name: string) => `Release ${name}`,
    'semaphore.evict': (label: string) => `Evict ${label}`,
    'semaphore.prune': (ghosts: number) => `Prune ${ghosts} ${ghosts === 1 ? 'ghost' : 'ghosts'}`,
    'semaphore.resize': 'Resize…',
    'session.destroy': 'Destroy session…',
    'lock.delete': 'Delete lock…',
    'lock.remove-waiter': 'Remove from the queue…',
    'lock.ask': 'Ask to release…',
    'lock.wake': 'Wake those who wait…',
    'semaphore.remove-waiter': 'Remove from the queue…',
    'semaphore.return-permits': 'Return permits…',
    'semaphore.delete': 'Delete semaphore…',
  },
  titles: {
    'lock.release': (label: string, name: string) => `Release ${name} from ${label}`,
    'semaphore.evict': (label: string, name: string) => `Evict ${label} from ${name}`,
    'semaphore.prune': (label: string, name: string) => `Prune ${label} from ${name}`,
    'semaphore.resize': (_label: string, name: string) => `Resize ${name}`,
    'session.destroy': (label: string) => `Destroy session ${label}`,
    'lock.delete': (_label: string, name: string) => `Delete lock ${name}`,
    'lock.remove-waiter': (label: string, name: string) => `Remove ${label} from the queue of ${name}`,
    'lock.ask': (label: string, name: string) => `Ask ${label} to release ${name}`,
    'lock.wake': (_label: string, name: string) => `Wake those who wait for ${name}`,
    'semaphore.remove-waiter': (label: string, name: string) => `Remove ${label} from the queue of ${name}`,
    'semaphore.return-permits': (_label: string, name: string) => `Return permits to ${name}`,
    'semaphore.delete': (_label: string, name: string) => `Delete semaphore ${name}`,
  } satisfies Record<Action['type'], (label: string, name: string) => string>,
  /** Titles of a way that the action is not named after. */
  titlesByWay: {
    'hand-over': (label: string, name: string) => `Hand over ${name} from ${label}`,
    'slot-only': (label: string, name: string) => `Take the slot of ${label} from ${name}`,
  },
  /** Verb and object for the button. The title names the place. */
  verbs: {
    'lock.release': (_label: string, name: string) => `Release ${name}`,
    'semaphore.evict': (label: string) => `Evict ${label}`,
    'semaphore.prune': (label: string) => `Prune ${label}`,
    'semaphore.resize': (_label: string, name: string) => `Resize ${name}`,
    'session.destroy': () => 'Destroy session',
    'lock.delete': (_label: string, name: string) => `Delete lock ${name}`,
    'lock.remove-waiter': (label: string) => `Remove ${label}`,
    'lock.ask': (label: string) => `Ask ${label}`,
    'lock.wake': () => 'Wake those who wait',
    'semaphore.remove-waiter': (label: string) => `Remove ${label}`,
    'semaphore.return-permits': () => 'Return permits',
    'semaphore.delete': (_label: string, name: string) => `Delete semaphore ${name}`,
  } satisfies Record<Action['type'], (label: string, name: string) => string>,
  verbsByWay: {
    'hand-over': (_label: string, name: string) => `Hand over ${name}`,
    'slot-only': (label: string) => `Take the slot of ${label}`,
  },
  semaphores: (n: number) => `${n} ${n === 1 ? 'semaphore' : 'semaphores'}`,
  /** The menu of rarer actions on a page. */
  more: 'More…',
  menu: {
    'lock.release': 'Release…',
    'hand-over': 'Hand over now…',
    'semaphore.evict': 'Evict…',
    'semaphore.prune': 'Prune ghosts…',
    'semaphore.resize': 'Resize…',
    'session.destroy': 'Destroy its session…',
    'lock.delete': 'Delete lock…',
    'lock.remove-waiter': 'Remove from the queue…',
    'lock.ask': 'Ask to release…',
    'lock.wake': 'Wake those who wait…',
    'semaphore.remove-waiter': 'Remove from the queue…',
    'semaphore.return-permits': 'Return permits…',
    'semaphore.delete': 'Delete semaphore…',
  } satisfies Record<Action['type'] | 'hand-over', string>,
  blocked: {
    frozen: 'This page is frozen and may not show the current holder. Resume first.',
    lost: 'This page lost its connection to Signalbox. Actions return when it reconnects.',
    connecting: 'This page is still connecting to Signalbox.',
    catchingUp: 'Signalbox is still reading. Actions return when the data is live.',
    stale: 'The data is stale. Actions are off until it is live.',
    down: 'The server does not answer.',
    /** Follows the title of an outage. */
    until: 'Actions return when the data is live.',
  },
  how: {
    label: 'How',
    'destroy-session': {
      lock: {
        name: 'Destroy the session',
        /** `delay`: of the session; `null`: unknown, or none. */
        text: (delay: string | null) =>
          `Frees everything that this session holds.${delay === null ? '' : ` Consul then refuses its locks to everyone for ${delay}.`}`,
      },
      semaphore: {
        name: 'Destroy the session',
        text: 'Frees everything that this session holds. Semaphores have no lock-delay: the next waiter starts at once.',
      },
    },
    'hand-over': {
      name: 'Hand over now',
      text: 'Unlocks only this lock. No lock-delay: any client may take it at once, even the same holder. The session survives.',
    },
    'slot-only': {
      name: 'Take the slot only',
      text: 'Takes only this slot. The session survives, keeps everything else and may take a slot again.',
    },
  },
  sections: {
    writes: 'Will be written',
    touches: 'Also affected',
    subject: 'As shown',
    notices: 'Who notices',
    unprotected: 'Risks',
    warnings: 'Before you act',
    undo: 'Undo',
    manual: 'Manual commands',
    difference: 'What changed',
  },
};

export interface ProblemText {
  /** The event. */
  readonly title: string;
  /** Its meaning for the lock. */
  readonly meaning: string;
  /** The next step. */
  readonly next: string;
}

export const problems: Readonly<Record<ProblemCode, ProblemText>> = {
  stale: {
    title: 'It changed since you looked.',
    meaning: 'Nothing was written.',
    next: 'Review the differences and plan again. Your input is kept.',
  },
  'not-held': {
    title: 'That client no longer holds it.',
    meaning: 'Nothing is left to free. Nothing was written.',
    next: 'Close this and check the current holder.',
  },
  'not-found': {
    title: 'It is gone.',
    meaning: 'It was deleted, its session ended, or this credential may not see it. Nothing was written.',
    next: 'Close this and check the board.',
  },
  'conflict-in-use': {
    title: 'It is in use. This would break its clients.',
    meaning: 'Nothing was written.',
    next: 'Free its holders first, or choose another way.',
  },
  forbidden: {
    title: 'This credential may not do this.',
    meaning: 'Nothing was written.',
    next: 'Use a token with write permission. Freeing a lock needs it on the key or on sessions of its node.',
  },
  'signed-out': {
    title: 'You are signed out.',
    meaning: 'Nothing was written.',
    next: 'Sign in and try again.',
  },
  invalid: {
    title: 'The request is malformed.',
    meaning: 'Nothing was written.',
    next: 'Correct the marked fields. If none is marked, reload: the page may be older than the server.',
  },
  unwritable: {
    title: 'Consul refuses to write this name.',
    meaning: 'Nothing was written.',
    next: 'End its session. New clients need another name.',
  },
  'read-only': {
    title: 'Signalbox is read-only here.',
    meaning: 'Nothing was written.',
    next: 'Use the commands under “Manual commands”, or follow the reason above.',
  },
  busy: {
    title: 'Too many requests at once.',
    meaning: 'Nothing was written.',
    next: 'Wait a few seconds and try again.',
  },
  unavailable: {
    title: 'Signalbox cannot reach the server, or it does not answer in time.',
    meaning:
      'Nothing was written. Clients and timers may keep running. Locks may be freed or taken meanwhile.',
    next: 'Try again when the page says live.',
  },
  'no-leader': {
    title: 'The cluster has no leader.',
    meaning: 'It can neither grant nor free any lock. Nothing was written.',
    next: 'Try again when a leader is elected. Session timers then restart.',
  },
  'unknown-result': {
    title: 'The outcome is unknown.',
    meaning:
      'The connection broke, or no answer came, after the write was sent. The server may or may not have applied it.',
    next: 'Do not resend blindly. Check the current state, then plan again.',
  },
};

/** Problems whose reason differs from their code. */
export const problemsByWhy: Readonly<Partial<Record<keyof WhyFacts, ProblemText>>> = {
  'write-too-large': {
    title: 'The entry is too large to write.',
    meaning: 'Nothing was written.',
    next: 'Ask the client’s owner to shrink the entry, or raise the agent’s limit.',
  },
};
