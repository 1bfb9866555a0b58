/** English: what the dialog of an action says, beside its buttons. */

import type { PlannedWrite, Touch } from '@/lib/domain/actions/plan';
import { action as shown } from '@/lib/i18n/en/action';

export const action = {
  ...shown,
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
  /** The subject as the page showed it when the dialog opened. */
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
  /** `name`: the name in the audit; `null`: the audit does not identify people. */
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
