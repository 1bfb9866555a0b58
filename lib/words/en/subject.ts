/** English, part four: the pages of one lock, one semaphore, one session. */
import type { Verdict } from '@/lib/domain/model';
import { capital, counted } from './words';

const holderClause: Readonly<Record<Verdict, (label: string) => string>> = {
  alive: (label) => `Held by ${label}; its session is alive`,
  overdue: (label) => `Held by ${label}, which is probably dead`,
  suspect: (label) => `Held by ${label}, which is likely dead or cut off`,
  'node-bound': (label) => `Held by ${label}. Only its node’s checks can end it`,
  immortal: (label) => `Held by ${label}. Nothing ends it but a person`,
  ghost: (label) => `Recorded for ${label}, which locks nothing here`,
  unknown: (label) => `Held by ${label}. Whether it is alive cannot be told`,
};

const doubtful: Readonly<Record<Verdict, ((n: number) => string) | null>> = {
  alive: null,
  overdue: (n) => `${capital(counted(n, 'holder is', 'holders are'))} probably dead.`,
  suspect: (n) => `${capital(counted(n, 'holder is', 'holders are'))} likely dead or cut off.`,
  'node-bound': (n) => `${capital(counted(n, 'holder ends', 'holders end'))} only with its node.`,
  immortal: (n) =>
    `${capital(counted(n, 'holder', 'holders'))} never ${n === 1 ? 'frees itself' : 'free themselves'}.`,
  // A ghost's session may well exist elsewhere; what is known is that it locks no entry of this semaphore.
  ghost: (n) =>
    n === 1
      ? 'One slot leaks: the session recorded for it locks nothing here.'
      : `${capital(counted(n, 'slot leaks', 'slots leak'))}: the sessions recorded for them lock nothing here.`,
  unknown: (n) => `${capital(counted(n, 'holder', 'holders'))} cannot be judged.`,
};

export const subject = {
  back: 'Board',
  lock: {
    held: (verdict: Verdict, label: string, bound: string | null) =>
      `${holderClause[verdict](label)}${bound === null ? '' : `. ${bound}`}.`,
    bound: {
      bounded: (within: string) => `If its process is dead, Consul frees it within ${within}`,
      observed: (latest: string) => `Consul frees it by ${latest}`,
    },
    free: 'Free. Nobody holds this lock.',
    delayed: (rest: string | null) =>
      rest === null
        ? 'Free, but Consul refuses it to everyone for now (lock-delay).'
        : `Free, but Consul refuses it for ${rest} more (lock-delay).`,
    unknown: 'Whether anyone holds this lock cannot be told.',
    waiters:
      'Those who wait for a plain lock leave no trace in Consul, so they are not visible. That is not the same as none.',
  },
  semaphore: {
    slots: (recorded: number, limit: number, effective: number | null, waiting: number) =>
      `${recorded} of ${limit} slots ${effective !== null && effective !== recorded ? `recorded, ${effective} really held` : 'held'}, ${
        waiting === 0 ? 'nobody waiting' : `${waiting} waiting`
      }.`,
    unreadable: (waiting: number) =>
      `The coordination entry cannot be read${waiting === 0 ? '' : `; ${waiting} wait`}. Nobody can tell how many may enter.`,
    doubtful,
    /** The session ends; the record in `.lock` stays until a client or a person prunes it. */
    overdueUntil: (n: number, until: string) =>
      `${capital(counted(n, 'holder is', 'holders are'))} probably dead: if ${n === 1 ? 'it stays silent, Consul ends its session' : 'they stay silent, Consul ends their sessions'} by ${until}.`,
    free: (n: number) => `${capital(counted(n, 'slot is', 'slots are'))} free.`,
    over: (n: number) => `${capital(counted(n, 'holder', 'holders'))} more than the limit allows.`,
  },
  meta: {
    layout: (name: string) => name,
    flags: (flags: string) => `flags ${flags}`,
    index: (index: string) => `index ${index}`,
  },
  sections: {
    slots: 'Slots',
    heldBy: 'Held by',
    findings: 'Needs attention',
    holders: 'Holders',
    holder: 'Holder',
    waiters: 'Waiters',
    session: 'Session',
    problems: 'Entry',
    details: 'Recorded by it',
    raw: 'Stored entry',
    leftovers: 'Left behind',
    holds: 'Holds',
    wants: 'Wants',
    facts: 'Facts',
  },
  none: {
    holders: 'Nobody holds a slot.',
    holder: 'Nobody holds it.',
    waiters: 'Nobody waits.',
    holds: 'It holds nothing.',
    wants: 'It wants no slot. Whether it waits for a plain lock is not visible in Consul.',
  },
  /** `change` is the old and the new limit. */
  leftWaiting: (change: string | null) =>
    `Was waiting when the limit changed${change === null ? '' : ` (${change})`}: a Go client has failed then. It may be left over until its session ends.`,
  waitersNote: 'In order of arrival. Consul grants by race, not by queue.',
  waitersHead: {
    order: '#',
    who: 'waiter',
    node: 'node',
    since: 'since',
    state: 'its session',
    index: 'arrived at index',
  },
  showAll: (n: number) => `Show all ${n}`,
  evidence: 'Why',
  facts: {
    session: 'session',
    name: 'name',
    node: 'node',
    ttl: 'TTL',
    behavior: 'at its end',
    delay: 'lock-delay',
    checks: 'checks',
    since: 'since',
    ends: 'ends',
    seen: 'seen',
    value: 'wrote',
    created: 'created at index',
    alsoHolds: 'also holds',
  },
  ttl: {
    none: 'none: it never ends by time',
    value: (ttl: string, double: string) =>
      `${ttl}; it ends between ${ttl} and ${double} after its last renewal`,
  },
  behaviors: { release: 'its keys are released', delete: 'its keys are deleted' },
  delay: {
    lock: (delay: string) => `${delay}: after its session ends, Consul refuses the key for that long`,
    none: 'none: the next holder may start while this one still works',
    semaphore: (delay: string) => `${delay}; it does not protect semaphores: the next waiter starts at once`,
    session: (delay: string) => `${delay} for its locks; semaphores are not protected by it`,
  },
  sessionUnseen: 'This session is not in view: it has ended, or may not be read with this credential.',
  checksNone: 'none',
  raw: {
    value: 'value',
    empty: 'empty',
    none: 'There is no such entry.',
    base64: 'not text; shown as base64',
    truncated: (shown: string, all: string) => `first ${shown} of ${all}`,
    size: (size: string) => size,
    flags: 'flags',
    createIndex: 'create index',
    modifyIndex: 'modify index',
    lockIndex: 'lock index',
    lockIndexHelp: 'counts acquisitions: the fencing token',
    key: 'key',
  },
  leftovers: 'Contender entries that no session locks. They are harmless; clients step over them.',
  notInView: {
    lock: 'This lock is not in view.',
    semaphore: 'This semaphore is not in view.',
    session: 'This session is not in view.',
    nothingAsked: 'The address names nothing to show.',
    because:
      'It may have been deleted, its session may have ended, it may lie outside the prefixes that Signalbox watches, or the credential may not read it.',
    becauseDown: 'Consul does not answer, so nothing could be read yet.',
    search: 'Search the board for it',
  },
  session: {
    sentence: (holds: number, wants: number) =>
      holds === 0 && wants === 0
        ? 'Holds nothing and wants no slot. Whether it waits for a plain lock is not visible in Consul.'
        : `${holds === 0 ? 'Holds nothing' : `Holds ${counted(holds, 'lock or slot', 'locks or slots')}`}${
            wants === 0 ? '' : ` and waits for ${counted(wants, 'slot', 'slots')}`
          }.`,
  },
};
