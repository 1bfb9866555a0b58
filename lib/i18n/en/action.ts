/** English, part five: actions, their dialog, what follows, and every expected failure. */
import type { Action } from '@/lib/domain/actions/action';
import type { PlannedWrite, Touch } from '@/lib/domain/actions/plan';
import type { ProblemCode } from '@/lib/domain/problem';
import type { WhyFacts } from '@/lib/domain/refusal';

export const action = {
  ghosts: (n: number) => `${n} ${n === 1 ? 'ghost' : 'ghosts'}`,
  /** What is on the button: verb and object. */
  buttons: {
    'lock.release': (name: string) => `Release ${name}`,
    'semaphore.evict': (label: string) => `Evict ${label}`,
    'semaphore.prune': (ghosts: number) => `Prune ${ghosts} ${ghosts === 1 ? 'ghost' : 'ghosts'}`,
    'semaphore.resize': 'Resize…',
    'session.destroy': 'Destroy session…',
    'lock.delete': 'Delete lock…',
    'semaphore.delete': 'Delete semaphore…',
  },
  titles: {
    'lock.release': (label: string, name: string) => `Release ${name} from ${label}`,
    'semaphore.evict': (label: string, name: string) => `Evict ${label} from ${name}`,
    'semaphore.prune': (label: string, name: string) => `Prune ${label} from ${name}`,
    'semaphore.resize': (_label: string, name: string) => `Resize ${name}`,
    'session.destroy': (label: string) => `Destroy session ${label}`,
    'lock.delete': (_label: string, name: string) => `Delete lock ${name}`,
    'semaphore.delete': (_label: string, name: string) => `Delete semaphore ${name}`,
  } satisfies Record<Action['type'], (label: string, name: string) => string>,
  /** The title where the way chosen is not the one that the action is named after. */
  titlesByWay: {
    'hand-over': (label: string, name: string) => `Hand over ${name} from ${label}`,
    'slot-only': (label: string, name: string) => `Take the slot of ${label} from ${name}`,
  },
  /** What is on the button that does it: verb and object, without the place, which the title names. */
  verbs: {
    'lock.release': (_label: string, name: string) => `Release ${name}`,
    'semaphore.evict': (label: string) => `Evict ${label}`,
    'semaphore.prune': (label: string) => `Prune ${label}`,
    'semaphore.resize': (_label: string, name: string) => `Resize ${name}`,
    'session.destroy': () => 'Destroy session',
    'lock.delete': (_label: string, name: string) => `Delete lock ${name}`,
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
    'semaphore.delete': 'Delete semaphore…',
  } satisfies Record<Action['type'] | 'hand-over', string>,
  blocked: {
    frozen: 'This page is frozen, so it may not show who holds it now. Resume first.',
    lost: 'This page has lost its connection to Signalbox. Actions return with it.',
    connecting: 'The connection to Signalbox is not there yet.',
    catchingUp: 'Signalbox is still reading. Actions return when the data is live.',
    stale: 'The data is stale. Nothing is changed on the ground of old data.',
    down: 'Consul does not answer.',
    /** After the title of an outage. */
    until: 'Actions return when the data is live.',
  },
  how: {
    label: 'How',
    'destroy-session': {
      lock: {
        name: 'Destroy the session',
        /** `delay`: the lock-delay of the session; `null` where it is not known, or none. */
        text: (delay: string | null) =>
          `Everything that this session holds is freed with it.${delay === null ? '' : ` Consul then refuses its locks to everyone for ${delay}.`}`,
      },
      semaphore: {
        name: 'Destroy the session',
        text: 'Everything that this session holds is freed with it. Semaphores have no lock-delay: the next waiter starts at once.',
      },
    },
    'hand-over': {
      name: 'Hand over now',
      text: 'Only this lock is unlocked. No lock-delay: anyone may take it at once, the same holder too. Its session lives on.',
    },
    'slot-only': {
      name: 'Take the slot only',
      text: 'Only its slot is taken. Its session lives on with everything else that it holds, and may take a slot again.',
    },
  },
  resize: {
    label: 'New limit',
    now: (limit: number | null) =>
      limit === null ? 'The limit is not known.' : `The limit is ${limit} now.`,
    invalid: (max: string) => `A whole number from 1 to ${max}.`,
    enter: 'Enter another limit to see what would be written.',
    /** What any new limit does, told before one is typed. */
    verdict: {
      'fails-waiters': {
        title: 'Go layout: a new limit fails its waiters.',
        text: 'Whoever waits as a Go client fails at once, on growing and on shrinking alike, and so does whoever starts with the old n until it is redeployed. Holders go on. The last consul lock to leave deletes the entry and the new limit with it. A limit of 1 is impossible for users of consul lock.',
        waiting: (n: number, part: boolean) =>
          `${part ? 'Others may wait whom you may not see. ' : ''}${
            n === 0
              ? `Nobody ${part ? 'in view ' : ''}waits as shown here.`
              : `${n === 1 ? 'One waits' : `${n} wait`} as shown here:`
          }`,
      },
      live: {
        title: 'List layout: growing is safe.',
        text: 'Clients read the stored limit each time, so a larger one works at once and nobody fails.',
        least: (recorded: number) =>
          recorded === 0
            ? ''
            : `Below ${recorded} is refused: so many holders are recorded, and these clients would then admit without bound. Prune the dead first.`,
      },
    },
  },
  planning: 'Reading Consul to make the plan. Nothing is written yet.',
  sections: {
    writes: 'Will be written',
    touches: 'What else it touches',
    subject: 'As shown',
    notices: 'Who notices',
    unprotected: 'Not protected',
    warnings: 'Know before',
    undo: 'Way back',
    manual: 'By hand',
    difference: 'What moved',
  },
  touchesNothing: 'Nothing else.',
  /** Who is hit beside the one that is meant. */
  reach: {
    freed: (n: number, other: boolean) =>
      `Frees ${n} ${other ? 'other ' : ''}${n === 1 ? 'lock or slot' : 'locks or slots'}.`,
    deleted: (n: number, other: boolean) =>
      `Deletes ${n} ${other ? 'other ' : ''}${n === 1 ? 'key' : 'keys'}.`,
    fails: (n: number) => `${n === 1 ? '1 waiter may fail' : `Up to ${n} waiters fail`} at once.`,
    gap: ' ',
  },
  tools: { curl: 'curl, as Signalbox does it', consul: 'consul command' },
  /** Facts of the subject as the page showed it when the dialog opened. */
  shown: {
    session: (id: string) => `session ${id}`,
    name: (name: string) => `name ${name}`,
    node: (node: string) => `node ${node}`,
    index: (index: string) => `index ${index}`,
    limit: (limit: number) => `limit ${limit}`,
  },
  undoButton: (limit: number) => `Set the limit back to ${limit}…`,
  partsAgain: (n: number) => `Plan again for the ${n} refused`,
  parts: (done: number, of: number) => `${done} of ${of} done`,
  moreTouches: (n: number) => `and ${n} more`,
  operations: {
    update: (target: string) => `Update ${target}`,
    delete: (target: string) => `Delete ${target}`,
    unlock: (target: string) => `Unlock ${target}`,
    'destroy-session': (target: string) => `Destroy session ${target}`,
  } satisfies Record<PlannedWrite['operation'], (target: string) => string>,
  condition: (condition: string) => `guarded by: ${condition}`,
  unconditional: 'not guarded: Consul offers no condition here',
  values: 'The stored value, before and after',
  before: 'before',
  after: 'after',
  effects: {
    released: 'is released',
    deleted: 'is deleted',
    fails: 'fails at once if it is a Go client',
    'loses-slot': 'loses its slot',
  } satisfies Record<Touch['effect'], string>,
  reason: 'Reason',
  /** `name`: as which the audit files it; `null`: nobody is told apart. */
  reasonHelp: (name: string | null) =>
    name === null
      ? 'Goes into the audit, with the time and no name: Signalbox does not know who you are.'
      : `Goes into the audit, with your name (${name}) and the time.`,
  reasonNeeded: 'A reason is needed.',
  reasonOptional: '(may stay empty)',
  confirm: (name: string) => ['Type', name, 'to confirm'] as const,
  confirmNeeded: (name: string) => `Type ${name} exactly as it is written.`,
  cancel: 'Cancel',
  close: 'Close',
  planAgain: 'Plan again',
  applying: 'Writing…',
  noPlan: 'There is no plan yet.',
  done: {
    title: (title: string) => `Done: ${title}`,
    partly: 'Not everything was done.',
    refused: 'refused',
    followTitle: 'What happened, as seen in Consul',
    sent: 'sent',
    confirmed: 'confirmed by Consul',
    readAfterwards: 'the answer was lost; seen to be done when read afterwards',
  },
  follow: {
    gone: (who: string) => `${who} is out`,
    slotFree: (n: number) => (n === 1 ? 'slot is free' : `${n} slots are free`),
    lockFree: 'lock is free',
    taken: (who: string) => `taken by ${who}`,
    retaken: (who: string) => `taken again by ${who}`,
    returned: (who: string) => `taken again by ${who} with a new session`,
    handedOver: (who: string) => `handed over: taken by ${who}`,
    delayed: 'in lock-delay',
    delayedUntil: 'lock-delay until ',
    delayRest: (rest: string) => `Consul refuses it to everyone for ${rest} more.`,
    delayOver: 'lock-delay is over, lock is free',
    limit: (n: number) => `limit is ${n}`,
    waitsNot: (who: string, n: number) => `${who} ${n === 1 ? 'waits' : 'wait'} no longer`,
    sessionGone: 'session is gone',
    entryGone: 'entry is gone',
    watching: 'Watching for the next holder…',
    waitingToSee: 'Not seen in the data yet…',
    nobody: (time: string) => `nobody came in ${time}`,
    /** After a new limit. */
    watchingQueue: 'Watching what becomes of those who waited…',
    stillListed: (n: number, time: string) =>
      `${n} of those who waited ${n === 1 ? 'is' : 'are'} still listed after ${time}. A client that gave up stays listed until its session ends.`,
    notFresh: 'The data is not fresh, so what follows cannot be seen now.',
  },
};

export interface ProblemText {
  /** What happened. */
  readonly title: string;
  /** What it means for the lock. */
  readonly meaning: string;
  /** What to do next. */
  readonly next: string;
}

export const problems: Readonly<Record<ProblemCode, ProblemText>> = {
  stale: {
    title: 'It moved since you looked.',
    meaning: 'Nothing was written.',
    next: 'Read what differs and plan again. What you typed is kept.',
  },
  'not-held': {
    title: 'It is not held by that session any more.',
    meaning: 'There is nothing left to free. Nothing was written.',
    next: 'Close this and look at who holds it now.',
  },
  'not-found': {
    title: 'It is not there any more.',
    meaning: 'It was deleted, its session ended, or this credential may not see it. Nothing was written.',
    next: 'Close this and look at the board.',
  },
  'conflict-in-use': {
    title: 'It is in use, and this would break its clients.',
    meaning: 'Nothing was written.',
    next: 'Free its holders first, or choose another way.',
  },
  forbidden: {
    title: 'The credential in use may not do this.',
    meaning: 'Nothing was written.',
    next: 'It takes a token with the right to it: to free a lock, write permission on its key or on sessions of its node.',
  },
  'signed-out': {
    title: 'You are not signed in any more.',
    meaning: 'Nothing was written.',
    next: 'Sign in and try again.',
  },
  invalid: {
    title: 'The request is not well-formed.',
    meaning: 'Nothing was written.',
    next: 'Correct what is marked. If nothing is, reload the page: it may be older than the server.',
  },
  unwritable: {
    title: 'Consul refuses to write this name.',
    meaning: 'Nothing was written.',
    next: 'End the session that holds it. New clients need another name.',
  },
  'read-only': {
    title: 'Nothing can be done from here.',
    meaning: 'Nothing was written.',
    next: 'Use the commands under “By hand”, or do what the reason asks for.',
  },
  busy: {
    title: 'Too many requests at once.',
    meaning: 'Nothing was written.',
    next: 'Wait a few seconds and try again.',
  },
  unavailable: {
    title: 'Consul cannot be reached, or does not answer in time.',
    meaning:
      'Nothing was written. Other agents and Consul’s timers may go on, so locks may be freed or taken meanwhile.',
    next: 'Try again when the page says live.',
  },
  'no-leader': {
    title: 'Consul has no leader.',
    meaning: 'It can neither grant nor free any lock. Nothing was written.',
    next: 'Try again when a leader is elected. Session timers then start anew.',
  },
  'unknown-result': {
    title: 'It is not known whether this was done.',
    meaning:
      'The connection broke, or no answer came, after the write was sent. It may or may not have happened.',
    next: 'Do not send it again blindly: look at the present state, then plan again.',
  },
};

/** The same where the reason says another thing than its code. */
export const problemsByWhy: Readonly<Partial<Record<keyof WhyFacts, ProblemText>>> = {
  'write-too-large': {
    title: 'The entry is too large to be written.',
    meaning: 'Nothing was written.',
    next: 'Ask the owner of its clients to shrink the entry, or raise the limit on the agent.',
  },
};
