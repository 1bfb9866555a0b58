/** English, part four: the pages of one lock, one semaphore, one session. */
import type { Verdict } from '@/lib/domain/model';
import { capital, counted } from './plural';

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

export const subject = {
  back: 'Board',
  lock,
  semaphore,
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
  unlisted: (n: number) =>
    `${n} more are recorded. They lock nothing here and no session of theirs is in view, so they are counted and not listed.`,
  /** Of a semaphore of which entries may be kept from whoever looks. */
  waitersPart: 'Others may wait whom you may not see: your token may not read every entry here.',
  showRest: (n: number) => `Show ${n} more`,
  none: {
    holders: 'Nobody holds a slot.',
    holdersUnread: 'Who holds a slot cannot be read.',
    holder: 'Nobody holds it.',
    waiters: 'Nobody waits.',
    waitersInView: 'Nobody in view waits.',
    holds: 'It holds nothing in view.',
    wants: 'It wants no slot in view. Whether it waits for a plain lock is not visible in Consul.',
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
  sessionUnread: 'It locks a key, so it has not ended, but it may not be read with this credential.',
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
  /** Terraform's lock info beside a lock that nobody holds. */
  lockInfo: {
    of: (who: string | null) => (who === null ? 'Lock info' : `Lock info of ${who}`),
    created: ', created ',
    end: '.',
    text: 'Its run lost the lock, or ended without unlocking. It blocks nobody: the next run overwrites it. Deleting this lock deletes it too, where your token may.',
  },
  leftovers: 'Contender entries that no session locks. They are harmless; clients step over them.',
  notInView: {
    lock: 'This lock is not in view.',
    semaphore: 'This semaphore is not in view.',
    session: 'This session is not in view.',
    nothingAsked: 'The address names nothing to show.',
    /** What such an address has to look like. */
    asks: {
      lock: 'The page of a lock needs its key:',
      semaphore: 'The page of a semaphore needs its prefix:',
      session: 'The page of a session needs its id:',
    },
    because: {
      lock: 'It may have been deleted, its session may have ended, it may lie outside the prefixes that Signalbox watches, or the credential may not read it.',
      semaphore:
        'It may have been deleted, its sessions may have ended, it may lie outside the prefixes that Signalbox watches, or the credential may not read it.',
      session: 'It may have ended, which leaves no trace in Consul, or the credential may not read it.',
    },
    /** Of what was here before. */
    went: {
      lock: 'It was deleted, or the credential may not read it any more.',
      semaphore: 'It was deleted, or the credential may not read it any more.',
      session: 'It has ended, or the credential may not read it any more.',
    },
    /** Before links: what has that name but is something else, or nearly that name. */
    near: 'In view under this name, or nearly this name:',
    nearKinds: { lock: 'the lock', semaphore: 'the semaphore', session: 'the session' },
    /** What this page saw before it went. `holder`: who held it to the last. */
    until: (time: string, holder: string | null) =>
      `It was here until ${time}${holder === null ? '' : `, held by ${holder}`}.`,
    lastSeen: (time: string, holder: string | null) =>
      `It was last seen here at ${time}${holder === null ? '' : `, held by ${holder}`}; when it went is not known.`,
    heldUntil: (holder: string, time: string) => `${holder} held it until ${time}.`,
    lastHeld: (holder: string, time: string) => `${holder} was last seen to hold it at ${time}.`,
    /** Between two of these. */
    gap: ' ',
    becauseUnread: 'Nothing of Consul could be read yet.',
    search: 'Search the board for it',
  },
  session: {
    sentence: (holds: number, wants: number) =>
      holds === 0 && wants === 0
        ? 'Holds nothing and wants no slot in view. Whether it waits for a plain lock is not visible in Consul.'
        : `${holds === 0 ? 'Holds nothing in view' : `Holds ${counted(holds, 'lock or slot', 'locks or slots')}`}${
            wants === 0 ? '' : ` and waits for ${counted(wants, 'slot', 'slots')}`
          }.`,
  },
};
