/** English: actions, their dialog, what follows, and every expected failure. */
import type { Action } from '@/lib/domain/actions/action';
import type { PlannedWrite, Touch } from '@/lib/domain/actions/plan';
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
  /** For a way that the action is not named after. */
  titlesByWay: {
    'hand-over': (label: string, name: string) => `Hand over ${name} from ${label}`,
    'slot-only': (label: string, name: string) => `Take the slot of ${label} from ${name}`,
  },
  /** On the button: verb and object. The title names the place. */
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
    /** After the title of an outage. */
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
  resize: {
    label: 'New limit',
    now: (limit: number | null) => (limit === null ? 'The limit is unknown.' : `The limit is ${limit} now.`),
    invalid: (max: string) => `A whole number from 1 to ${max}.`,
    enter: 'Enter another limit to preview the write.',
    /** The effect of any new limit, before one is typed. */
    verdict: {
      'fails-waiters': {
        title: 'Go clients: a new limit fails every waiter.',
        text: 'Waiting Go clients fail at once, whether the limit grows or shrinks. Clients that start with the old n fail until redeployed. Holders continue. The last consul lock to leave deletes the entry with the new limit. Users of consul lock cannot have a limit of 1.',
        waiting: (n: number, part: boolean) =>
          `${part ? 'There may be waiters that you may not see. ' : ''}${
            n === 0
              ? `No session ${part ? 'in view ' : ''}waits as shown here.`
              : `${n === 1 ? 'One waits' : `${n} wait`} as shown here:`
          }`,
      },
      counts: {
        title: 'Clients count permits down: any limit is safe.',
        text: 'A larger limit works at once. A smaller one takes no permit back: until enough are returned, no client gets one.',
      },
      live: {
        title: 'List clients: growing is safe.',
        text: 'Clients read the stored limit each time. A larger limit works at once and fails no client.',
        least: (recorded: number) =>
          recorded === 0
            ? ''
            : `Signalbox refuses a limit below ${recorded}, the recorded holders: these clients would then admit without bound. Prune the dead first.`,
      },
    },
  },
  returns: {
    label: 'Permits to return',
    now: (free: number | null) =>
      free === null ? 'How many are free is unknown.' : `${free} ${free === 1 ? 'is' : 'are'} free now.`,
    enter: 'Enter how many to preview the write.',
    text: 'Nobody knows whose permits these were. Return only what dead clients took with them: every one too many lets one client too many in.',
  },
  /** The part of the dialog that is read, for screen readers. */
  plan: 'Plan',
  planning: 'Reading the current state for the plan. Nothing is written yet.',
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
  touchesNothing: 'Nothing else.',
  /** Clients that are hit beside the target. */
  reach: {
    freed: (n: number, other: boolean) =>
      `Frees ${n} ${other ? 'other ' : ''}${n === 1 ? 'lock or slot' : 'locks or slots'}.`,
    deleted: (n: number, other: boolean) =>
      `Deletes ${n} ${other ? 'other ' : ''}${n === 1 ? 'key' : 'keys'}.`,
    fails: (n: number) => `${n === 1 ? '1 waiter may fail' : `Up to ${n} waiters fail`} at once.`,
    gap: ' ',
  },
  tools: {
    curl: 'curl, as Signalbox sends it',
    consul: 'consul command',
    'redis-cli': 'redis-cli',
    'zkCli.sh': 'zkCli.sh',
  },
  /** As the page showed the subject when the dialog opened. */
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
  condition: (condition: string) => `only if ${condition}`,
  unconditional: 'unconditional: Consul cannot check',
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
  /** `name`: the audit files it under this; `null`: people are not told apart. */
  reasonHelp: (name: string | null) =>
    name === null
      ? 'Recorded with the time, without a name.'
      : `Recorded with your name (${name}) and the time.`,
  reasonNeeded: 'Enter a reason.',
  reasonOptional: '(optional)',
  confirm: (name: string) => ['Type', name, 'to confirm'] as const,
  confirmNeeded: (name: string) => `Type ${name} exactly as shown.`,
  cancel: 'Cancel',
  close: 'Close',
  planAgain: 'Plan again',
  applying: 'Writing…',
  noPlan: 'No plan yet.',
  done: {
    title: (title: string) => `Done: ${title}`,
    partly: 'Partly done.',
    refused: 'refused',
    followTitle: 'What the server shows since',
    sent: 'sent',
    confirmed: 'confirmed by the server',
    readAfterwards: 'answer lost; a later read shows it done',
  },
  follow: {
    gone: (who: string) => `${who} removed`,
    slotFree: (n: number) => (n === 1 ? 'slot is free' : `${n} slots are free`),
    lockFree: 'lock is free',
    taken: (who: string) => `taken by ${who}`,
    retaken: (who: string) => `taken again by ${who}`,
    returned: (who: string) => `taken again by ${who} with a new session`,
    handedOver: (who: string) => `handed over: taken by ${who}`,
    delayed: 'in lock-delay',
    delayedUntil: 'lock-delay until ',
    delayRest: (rest: string) => `Consul refuses it to everyone for another ${rest}.`,
    delayOver: 'lock-delay over, lock is free',
    limit: (n: number) => `limit is ${n}`,
    available: (n: number) => (n === 1 ? '1 permit is free' : `${n} permits are free`),
    waitsNot: (who: string, n: number) => `${who} no longer ${n === 1 ? 'waits' : 'wait'}`,
    sessionGone: 'session is gone',
    entryGone: 'entry is gone',
    watching: 'Watching for the next holder…',
    waitingToSee: 'Not in the data yet…',
    nobody: (time: string) => `no new holder in ${time}`,
    /** After a new limit. */
    watchingQueue: 'Watching the earlier waiters…',
    stillListed: (n: number, time: string) =>
      `${n} earlier ${n === 1 ? 'waiter is' : 'waiters are'} still listed after ${time}. A client that gave up stays listed until its session ends.`,
    notFresh: 'The data is stale. Signalbox cannot follow the outcome now.',
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

/** Where the reason says another thing than its code. */
export const problemsByWhy: Readonly<Partial<Record<keyof WhyFacts, ProblemText>>> = {
  'write-too-large': {
    title: 'The entry is too large to write.',
    meaning: 'Nothing was written.',
    next: 'Ask the client’s owner to shrink the entry, or raise the agent’s limit.',
  },
};
