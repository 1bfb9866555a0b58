/** English: what a plan says, before the act and after it. */

import type {
  ConditionFacts,
  NoteFacts,
  PartFacts,
  StateFacts,
  SummaryFacts,
  TouchFacts,
  UndoFacts,
  WarningFacts,
} from '@/lib/domain/actions/plan';
import { shortId } from '@/lib/domain/model';
import type { Sayings } from '@/lib/domain/said';
import { formatDuration } from '@/lib/i18n/format/format';
import { layouts } from './layout';

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

const recordedForNothing = (ghosts: number) =>
  ghosts === 1
    ? 'the session recorded for it locks nothing under the prefix.'
    : 'the sessions recorded for them lock nothing under the prefix.';

const summaries: Sayings<SummaryFacts> = {
  'release-lock': ({ key, holder }) => `Release ${key} by destroying the session of ${holder}.`,
  'hand-over-lock': ({ key, holder }) =>
    `Take ${key} from ${holder} and leave it to whoever is quick. The session lives on.`,
  'evict-holder': ({ prefix, holder }) => `Evict ${holder} from ${prefix} by destroying its session.`,
  'take-slot': ({ prefix, holder }) => `Take the slot of ${holder} in ${prefix}. Its session lives on.`,
  'prune-one': ({ prefix, ghosts }) =>
    `Prune ${count(ghosts, 'ghost')} from ${prefix}: ${recordedForNothing(ghosts)}`,
  'prune-many': ({ semaphores, ghosts }) =>
    `Prune ${count(ghosts, 'ghost')} from ${count(semaphores, 'semaphore')}: ${recordedForNothing(ghosts)}`,
  'set-limit': ({ prefix, before, limit }) => `Set the limit of ${prefix} from ${before} to ${limit}.`,
  'destroy-session': ({ name, node }) =>
    `Destroy session ${name}${node === null ? '' : ` on node ${node}`}, and with it everything that it holds.`,
  'delete-lock': ({ key }) => `Delete the key ${key}. Nobody holds it.`,
  'delete-semaphore': ({ prefix }) => `Delete the semaphore ${prefix}. Nobody holds or wants it.`,
};

const conditions: Sayings<ConditionFacts> = {
  'index-is': ({ index }) => `the index is still ${index}`,
  'index-and-holder': ({ index, sessionId }) => `the index is still ${index}, held by ${sessionId}`,
  'unchanged-since-reread': () => 'nothing else changed since it was read again after that',
  'left-over-then': () => 'it is left over, at the index read then',
  'same-ghosts': ({ index }) =>
    `the ghosts are still the same; holders that come meanwhile are kept (read at index ${index})`,
  'same-limit': ({ limit, index }) =>
    `the limit is still ${limit}; holders that come or go meanwhile are kept (read at index ${index})`,
};

const states: Sayings<StateFacts> = {
  stored: ({ text }) => text,
  'locks-keys': ({ keys }) => (keys === 0 ? 'locks no key in view' : `locks ${count(keys, 'key')}`),
  'locks-key': ({ key }) => `locks ${key}`,
  'held-by': ({ sessionId }) => `held by ${sessionId}`,
  'locked-by': ({ sessionId }) => `locked by ${sessionId}`,
  'holds-slot': ({ prefix }) => `holds a slot of ${prefix}`,
  'key-free': ({ key }) => `${key} is free`,
  'key-deleted': ({ key }) => `${key} is deleted`,
  'free-as-it-was': () => 'free, with the same value and flags',
  gone: () => 'gone',
  'gone-with-all': () => 'gone, with everything that it holds',
};

const touched: Sayings<TouchFacts> = {
  'slot-to-waiters': ({ waiters, first }) =>
    waiters === null
      ? 'goes to whoever waits for it, at once; waiters that you may not see cannot be counted'
      : waiters === 0 || first === null
        ? 'nobody waits for its slot now'
        : `goes to whoever is quick among ${count(waiters, 'waiter')}, at once; ${first} came first`,
  'record-stays': ({ waiters }) =>
    `its record stays, as a ghost: until it is pruned the slot is not free${
      waiters === null
        ? '; waiters that you may not see cannot be counted'
        : waiters === 0
          ? ''
          : ` for ${count(waiters, 'waiter')}`
    }`,
  'place-in-line': () => 'its place among the waiters',
  'behavior-not-known': () => 'the session cannot be seen: with behavior delete it is deleted',
  'refused-for': ({ lockDelayMs }) => `refused to everyone for ${formatDuration(lockDelayMs)}`,
  'free-at-once': () => 'no lock-delay: may be taken at once',
  'locks-nothing-under': ({ prefix }) => `${prefix}: no key under it is locked by this session`,
};

const warnings: Sayings<WarningFacts> = {
  'not-conditional': () =>
    'Consul destroys a session without any condition. Signalbox compares everything just before, but a change in the last milliseconds cannot be excluded.',
  'lock-delay-protects': ({ lockDelayMs }) =>
    lockDelayMs === null
      ? 'The session cannot be seen, so its lock-delay is not known. Consul uses 15\u00a0s where a client did not set one, and never more than 60\u00a0s.'
      : `For ${formatDuration(lockDelayMs)} Consul then refuses the lock to everyone, so that the old holder can notice. The next holder begins after that.`,
  'no-lock-delay': ({ because }) =>
    ({
      semaphore:
        'Semaphores have no lock-delay: the next waiter starts at once, possibly before the evicted process has stopped.',
      'hand-over':
        'A hand-over sets no lock-delay: the next holder may begin while the old process is still working.',
      session: 'This session has no lock-delay: the next holder may begin at once.',
    })[because],
  'split-brain': ({ node }) =>
    `Split brain: ${node === null ? 'nothing says that the process has stopped' : `node ${node} is healthy, so the process may still be working`}. If it has not noticed when the next holder begins, two work at once.`,
  'command-left': ({ node }) =>
    `If it is a consul lock that has died or was stopped, nobody ends its command: that may run on beside the next holder without a bound. Look for it ${node === null ? 'where the holder runs' : `on node ${node}`}.`,
  'session-lives-on': ({ ends }) =>
    `The session lives on, with everything else that it holds.${
      ends === 'never-by-time' ? ' It has no TTL, so it stays when its process dies.' : ''
    }`,
  'may-retake': ({ what }) =>
    what === 'lock'
      ? 'Nothing delays the next acquisition: anyone may take the lock at once, the same holder too.'
      : 'A client that still runs may take a slot again with the same session.',
  'holds-more': ({ others }) =>
    `The session holds ${others} other ${others === 1 ? 'key or slot' : 'keys or slots'} as well, and loses ${others === 1 ? 'it' : 'them'} too.`,
  'holder-notices': ({ layout, heirs }) =>
    ((heirs === 0 && layouts[layout].alone) || layouts[layout]).notices,
  'next-holder': ({ waiters, first }) =>
    waiters === null
      ? 'Those who wait for a lock leave no trace in Consul: who comes next cannot be told.'
      : waiters === 0 || first === null
        ? 'Nobody waits for the slot now.'
        : `${count(waiters, 'session waits', 'sessions wait')} for the slot. ${first} came first, but Consul grants by race, not by queue.`,
  'next-holder-unseen': () =>
    'Whoever waits for the slot may take it; Consul grants by race, not by queue. Waiters that you may not see cannot be counted.',
  'waiters-fail': ({ waiters, limit }) =>
    `${
      waiters === null
        ? 'Waiters that you may not see cannot be counted; of all who wait, those that are Go clients (consul lock, api.Semaphore) fail at once'
        : waiters === 0
          ? 'Nobody waits now; a Go client that waits by then fails at once'
          : waiters === 1
            ? 'The one that waits, if it is a Go client (consul lock, api.Semaphore), fails at once'
            : `Of ${waiters} waiters, those that are Go clients (consul lock, api.Semaphore) fail at once`
    } with “semaphore limit conflict”, and cannot come back until redeployed with ${limit}. Consul does not know ${waiters === 1 ? 'which client it is' : 'which clients they are'}.`,
  'restarts-fail': ({ limit }) =>
    `Clients that start with another n fail as well until they ask for ${limit}. Holders go on.`,
  'limit-forgotten': () =>
    'The last consul lock to leave deletes the coordination entry, and the new limit with it.',
  'limit-one': () =>
    'consul lock -n=1 is a plain lock and refuses this entry, so a limit of 1 is impossible for its users.',
  'limit-live': () =>
    'Clients of this layout read the stored limit each time: the new one works at once, and no waiter fails.',
  'over-limit': ({ holders, limit }) =>
    `${count(holders, 'holder')} stay: a smaller limit evicts nobody, and no one is admitted before fewer than ${limit} hold.`,
  'clients-recreate': ({ what }) =>
    `Clients make ${what === 'lock' ? 'the key' : 'the semaphore'} again when they come back, with their own settings.`,
  'lock-info-goes': ({ who }) =>
    `The lock info${who === null ? '' : ` of ${who}`} is deleted with it. Terraform left it behind.`,
  'lock-info-stays': ({ who }) =>
    `The lock info${who === null ? '' : ` of ${who}`} stays: this token may not delete it. Terraform overwrites it with its next lock.`,
  'locks-stay': ({ entries }) =>
    entries === 1
      ? 'One entry below it stays: it may be a lock of its own. It is listed as a free lock then, and can be deleted there.'
      : `${entries} entries below it stay: they may be locks of their own. They are listed as free locks then, and can be deleted there.`,
  'leftovers-stay': ({ entries }) =>
    `${
      entries === null
        ? 'Entries that contenders left behind may stay; they could not be read just now'
        : entries === 1
          ? 'One entry that a contender left behind stays'
          : `${entries} entries that contenders left behind stay`
    }. They harm nobody, and are not shown here once the semaphore is gone; Consul’s own tools delete them.`,
  'layout-caution': ({ layout }) => layouts[layout].caution ?? layouts[layout].name,
  'left-out': ({ prefixes, names }) =>
    `${prefixes === 1 ? 'One of those chosen has' : `${prefixes} of those chosen have`} no ghost now, or cannot be written, and ${prefixes === 1 ? 'is' : 'are'} left alone: ${names.split('\n').join(', ')}${prefixes > names.split('\n').length ? ', …' : ''}.`,
  'hidden-stay': ({ holders, ids }) => {
    const names = ids.split('\n').slice(0, 5).map(shortId).join(', ');
    return `${holders === 1 ? 'One recorded holder only looks like a ghost: Consul has its session, and only keeps it from the token in use. It is' : `${holders} recorded holders only look like ghosts: Consul has their sessions, and only keeps them from the token in use. They are`} left alone: ${names}${holders > 5 ? ', …' : ''}.`;
  },
  'answer-lost': () => 'The answer of Consul was lost on the way. What is told here was read afterwards.',
  'view-incomplete': () =>
    'Nothing proves that this token may read every key, so the session may hold more than is listed here.',
  'not-read-back': () => 'It was written, but the state could not be read back just now.',
};

const undos: Sayings<UndoFacts> = {
  'set-limit-back': ({ limit }) => `Set the limit back to ${limit}: works at once.`,
  'set-limit-back-late': ({ limit }) =>
    `The limit can be set back to ${limit}, but waiters that have failed by then do not come back by themselves, and those who came with the new limit fail in their turn.`,
  'not-needed': () => 'None is needed: only what no client has any more is removed.',
  'none-session': () =>
    'None: an ended session cannot be brought back. Its process must make a new one and queue again.',
  'none-slot': () => 'None: the slot cannot be given back. Its process must queue again.',
  'none-hand-over': () => 'None: who takes the lock keeps it.',
  'none-delete': () => 'None: a client that comes back makes it anew.',
};

const notes: Sayings<NoteFacts> = {
  'ends-session': ({ sessionId }) => `Ends session ${sessionId}; Consul checks nothing before.`,
  'ends-session-holding': ({ sessionId, key }) =>
    `Ends session ${sessionId}, which holds ${key}. Consul checks nothing before.`,
  'then-off-record': () =>
    'Then takes it off the record. “index is stale” or “Did not write”: a client did so already, or came or went.',
  'frees-slot': () => 'Frees the slot alone; 409 says that something moved, and then nothing was written.',
  'in-two-steps': () =>
    'The same in two steps, because consul kv has no transaction: the entry goes only if the record was written.',
  unlocks: ({ key }) => `Unlocks ${key} only while its index and session stand; 409 says they do not.`,
  'unlocks-by-session': ({ key }) =>
    `Unlocks ${key} only while that session holds it. Unlike the transaction it does not look at the index.`,
  'prunes-ghosts': ({ key, ghosts }) => `Takes ${ghosts} off ${key}, only while its index stands.`,
  'writes-limit': ({ key, limit }) =>
    `Writes the limit ${limit} to ${key}, only while its index stands: if it moved, read it again.`,
  'deletes-while': ({ key, index }) => `Deletes ${key} only while its index is ${index}.`,
  'deletes-entries': () => 'Deletes the entries only while their indexes stand.',
  'no-session-command': () => 'The consul command has nothing for sessions: this takes the HTTP API.',
};

const parts: Sayings<PartFacts> = {
  pruned: ({ ghosts, named }) => `pruned ${count(ghosts, 'ghost')}: ${named}`,
  'had-no-ghost': () => 'had no ghost any more',
};

export const plan = { summaries, conditions, states, touched, warnings, undos, notes, parts };

/** What changed behind an open dialog, each after the time at which it was seen. Short: it has one line. */
export const sinceShown = {
  /** Before and after the time. */
  seenAt: ['Seen at ', ': '],
  gone: {
    lock: 'this key is not here any more.',
    semaphore: 'this semaphore is not here any more.',
    session: 'this session is not there any more, or cannot be seen.',
  },
  nobody: 'nobody holds it any more.',
  holderUnknown: 'who holds it cannot be told any more.',
  taken: (label: string) => `${label} holds it now.`,
  retaken: 'it was let go and taken again by the same session.',
  overwritten: 'its entry was written over, and the same session holds it.',
  /** `label`: one that has a slot now and had none; `null` for none. */
  noSlot: (label: string | null) =>
    label === null
      ? 'it holds no slot here any more.'
      : `it holds no slot here any more, and ${label} has come.`,
  aliveAgain: 'it is alive again.',
  /** It counts as likely dead no more, and yet nothing was seen of it. */
  unfollowed: 'its renewals can no longer be followed, so it may be alive or dead.',
  countedAnew: 'its silence is counted anew, and no renewal was seen.',
  healthUnread: 'whether its node and checks are well cannot be read any more.',
  judged: (now: string, before: string) => `it counts as ${now} now, no longer as ${before}.`,
  /** Its session ended, and the record of it stays. */
  leaks: 'it locks nothing here any more, and its slot leaks.',
  holdings: 'it holds other things than it did.',
  /** `n` of those that did still do. `untold`: of so many who are recorded it is not known. */
  ghosts: (n: number, untold: number) => {
    if (n === 0)
      return untold === 0
        ? 'no slot leaks here any more.'
        : 'whether a slot leaks here cannot be told any more.';
    const still = n === 1 ? '1 slot leaks here still' : `${n} slots leak here still`;
    return untold === 0
      ? `${still}, and others do not any more.`
      : `${still}; of ${untold} more it cannot be told.`;
  },
  otherGhosts: 'other slots leak here than did.',
  /** `.lock`. */
  unreadable: 'the record of its holders cannot be read any more.',
  unrecorded: 'the record of its holders is not there any more, or cannot be seen.',
  limit: (limit: number | null) =>
    limit === null ? 'its limit cannot be read any more.' : `its limit is ${limit} now.`,
  used: 'somebody holds or wants a slot here now.',
};
