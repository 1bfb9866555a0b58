/** English: the pages of one lock, one semaphore, one session, beside what a row of the board says. */

import { counted } from '@/lib/i18n/en/plural';
import { subject as shown } from '@/lib/i18n/en/subject';

import { holding } from './holding';

export const subject = {
  ...shown,
  holding,
  back: 'Board',
  meta: {
    layout: (name: string) => name,
    flags: (flags: string) => `flags ${flags}`,
    index: (index: string) => `index ${index}`,
  },
  sections: {
    history: 'History',
    slots: 'Slots',
    heldBy: 'Held by',
    findings: 'Needs attention',
    holders: 'Holders',
    holder: 'Holder',
    waiters: 'Waiters',
    session: 'Session',
    problems: 'Entry',
    details: 'What it recorded',
    raw: 'Stored entry',
    leftovers: 'Left behind',
    holds: 'Holds',
    wants: 'Waits for',
    facts: 'Facts',
  },
  /** Over those who are in no doubt, folded. */
  alive: (n: number) => `${n} ${n === 1 ? 'holder is' : 'holders are'} alive`,
  unlisted: (n: number) =>
    `${n} more are recorded, not listed: they lock nothing here and have no session in view.`,
  /** Some of the semaphore's entries may be hidden. */
  waitersPart: 'There may be waiters that you may not see: your token may not read every entry here.',
  showRest: (n: number) => `Show ${n} more`,
  none: {
    holders: 'No session holds a slot.',
    holdersUnread: 'Signalbox cannot read who holds a slot.',
    holder: 'No session holds it.',
    /** For clients that hold by a lease. */
    leases: 'No client holds it.',
    waiters: 'No waiters.',
    waitersInView: 'No waiters in view.',
    holds: 'It holds nothing in view.',
    wants: 'It waits for no slot in view. Consul does not record whether it waits for a plain lock.',
  },
  /** `change` is the old and the new limit. */
  leftWaiting: (change: string | null) =>
    `It was waiting when the limit changed${change === null ? '' : ` (${change})`}. A Go client failed then; its entry may remain until its session ends.`,
  waitersNote: 'In order of arrival. Slots are granted by race, not by queue.',
  /** For a backend with a queue. */
  queueNote: 'In the order of the queue: the first gets it next.',
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
    behavior: 'when it ends',
    delay: 'lock-delay',
    checks: 'checks',
    since: 'since',
    ends: 'ends',
    seen: 'seen',
    value: 'wrote',
    created: 'created',
    alsoHolds: 'also holds',
  },
  ttl: {
    none: 'none: no time limit',
    value: (ttl: string, double: string) =>
      `${ttl}; it ends between ${ttl} and ${double} after its last renewal`,
  },
  behaviors: { release: 'its keys are released', delete: 'its keys are deleted' },
  delay: {
    lock: (delay: string) => `${delay}: Consul refuses the key for that long after its session ends`,
    none: 'none: the next holder may start while this one still works',
    semaphore: (delay: string) => `${delay}; it does not protect semaphores: the next waiter starts at once`,
    session: (delay: string) => `${delay} for its locks; it does not protect semaphores`,
  },
  sessionUnread: 'It still exists: it locks a key. This credential may not read it.',
  sessionUnseen: 'Signalbox cannot see this session: it has ended, or this credential may not read it.',
  checksNone: 'none',
  raw: {
    value: 'value',
    empty: 'empty',
    none: 'No such entry.',
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
  /** Terraform's lock info beside a free lock. */
  lockInfo: {
    of: (who: string | null) => (who === null ? 'Lock info' : `Lock info of ${who}`),
    created: ', created ',
    end: '.',
    text: 'Its run lost the lock, or ended without unlocking. It blocks no run: the next one overwrites it. Deleting this lock also deletes it, if your token may.',
  },
  leftovers: 'No session locks these contender entries. They are harmless; clients skip them.',
  notInView: {
    lock: 'Signalbox cannot see this lock.',
    semaphore: 'Signalbox cannot see this semaphore.',
    session: 'Signalbox cannot see this session.',
    nothingAsked: 'The address names nothing to show.',
    /** The address names a source that is not configured. */
    noSource: (source: string) => `Signalbox has no source “${source}”.`,
    becauseNoSource: 'The address names a source that this Signalbox does not read.',
    /** The form of such an address. */
    asks: {
      lock: 'The page of a lock needs its key:',
      semaphore: 'The page of a semaphore needs its prefix:',
      session: 'The page of a session needs its id:',
    },
    because: {
      lock: 'It was deleted, its session ended, it lies outside the watched prefixes, or this credential may not read it.',
      semaphore:
        'It was deleted, its sessions ended, it lies outside the watched prefixes, or this credential may not read it.',
      session: 'It ended, which leaves no trace in Consul, or this credential may not read it.',
    },
    /** The last sight of an absent subject. */
    went: {
      lock: 'It was deleted, or this credential may no longer read it.',
      semaphore: 'It was deleted, or this credential may no longer read it.',
      session: 'It has ended, or this credential may no longer read it.',
    },
    /** Precedes links to another kind of that name, or to a similar name. */
    near: 'In view under this or a similar name:',
    nearKinds: { lock: 'the lock', semaphore: 'the semaphore', session: 'the session' },
    /** The end as this page saw it. `holder`: the last one. */
    until: (time: string, holder: string | null) =>
      `It was here until ${time}${holder === null ? '' : `, held by ${holder}`}.`,
    lastSeen: (time: string, holder: string | null) =>
      `It was last seen here at ${time}${holder === null ? '' : `, held by ${holder}`}. When it went is unknown.`,
    heldUntil: (holder: string, time: string) => `${holder} held it until ${time}.`,
    lastHeld: (holder: string, time: string) => `${holder} last held it in view at ${time}.`,
    /** Between two of these. */
    gap: ' ',
    becauseUnread: 'Signalbox has read nothing yet.',
    search: 'Search the board for it',
  },
  session: {
    sentence: (holds: number, wants: number) =>
      holds === 0 && wants === 0
        ? 'Holds nothing and waits for no slot in view. Consul does not record whether it waits for a plain lock.'
        : `${holds === 0 ? 'Holds nothing in view' : `Holds ${counted(holds, 'lock or slot', 'locks or slots')}`}${
            wants === 0 ? '' : ` and waits for ${counted(wants, 'slot', 'slots')}`
          }.`,
  },
};
