/** English, part four: the pages of one lock, one semaphore, one session, and the findings. */
import type { FindingCode } from '@/lib/domain/finding';
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
    delayedBasis: (until: string) =>
      `Consul does not tell the lock-delay. It is derived from the end of a session that Signalbox saw; it is over at ${until}.`,
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
    checks: 'Checks',
    facts: 'Facts',
  },
  none: {
    holders: 'Nobody holds a slot.',
    holder: 'Nobody holds it.',
    waiters: 'Nobody waits.',
    holds: 'It holds nothing.',
    wants: 'It wants no slot. Whether it waits for a plain lock is not visible in Consul.',
  },
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
  seenSince: (time: string) => `created ${time}`,
  seenAtLeast: (age: string) => `there for at least ${age}`,
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
    lately: 'It was here a moment ago and is gone now. This is the last that was seen of it.',
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

/** What a finding says of one subject. Facts come by name from the rule that found it. */
type Facts = Readonly<Record<string, string | number>>;

const n = (facts: Facts, ...names: readonly string[]): number | null => {
  for (const name of names) {
    const value = Number(facts[name]);
    if (facts[name] !== undefined && Number.isFinite(value)) return value;
  }
  return null;
};

export const findings: Readonly<
  Record<FindingCode, { readonly short: string; readonly text: (facts: Facts) => string }>
> = {
  'ghost-slots': {
    short: 'ghost slots',
    text: (f) => {
      const ghosts = n(f, 'ghosts', 'count');
      return `${ghosts === null ? 'Slots leak' : capital(counted(ghosts, 'slot leaks', 'slots leak'))}: recorded for sessions that hold nothing here. Nothing frees them until a client that prunes comes by, or a person prunes.`;
    },
  },
  'over-limit': {
    short: 'over limit',
    text: () => 'More sessions really hold a slot than the limit allows.',
  },
  'full-with-doubtful-holder': {
    short: 'full, holder in doubt',
    text: () => 'Every slot is taken, others wait, and at least one holder is not known to be alive.',
  },
  'doubtful-holder-while-others-wait': {
    short: 'holder in doubt',
    text: () => 'Others wait for a holder that does not end by itself when its process dies.',
  },
  'unreadable-entry': {
    short: 'unreadable',
    text: () => 'The coordination entry cannot be understood. Clients that read it fail.',
  },
  'wrong-flags': {
    short: 'wrong flags',
    text: () => 'The flags are not those of its layout: a Go client refuses this key.',
  },
  'no-lock-delay': {
    short: 'no lock-delay',
    text: () =>
      'Lock-delay is 0: when the session ends, the next holder may start while the old process still works.',
  },
  'session-leak': {
    short: 'session leak',
    text: () =>
      'This session holds nothing, wants no slot and has no TTL: it stays until someone ends it. Whether it waits for a plain lock is not visible.',
  },
};
