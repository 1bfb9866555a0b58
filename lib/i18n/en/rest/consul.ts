/**
 * English: the sentences of Consul that are read after the first sight. Its evidence, which embeds show too, is in
 * `evidence.ts`.
 */
import type {
  ConsulCondition,
  ConsulDifference,
  ConsulNote,
  ConsulState,
  ConsulSummary,
  ConsulTouch,
  ConsulUndo,
  ConsulWarning,
} from '@/lib/domain/codes/consul';
import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import { count } from '@/lib/i18n/en/plural';
import { formatDuration } from '@/lib/i18n/format/format';

const recordedForNothing = (ghosts: number) =>
  ghosts === 1
    ? 'the session recorded for it locks nothing under the prefix.'
    : 'their recorded sessions lock nothing under the prefix.';

/** Every part is complete, or does not compile. */
export const consul = {
  summaries: {
    'release-lock': ({ key, holder }) => `Release ${key} by destroying the session of ${holder}.`,
    'hand-over-lock': ({ key, holder }) =>
      `Take ${key} from ${holder}; the fastest client gets it. The session survives.`,
    'evict-holder': ({ prefix, holder }) => `Evict ${holder} from ${prefix} by destroying its session.`,
    'take-slot': ({ prefix, holder }) => `Take the slot of ${holder} in ${prefix}. Its session survives.`,
    'prune-one': ({ prefix, ghosts }) =>
      `Prune ${count(ghosts, 'ghost')} from ${prefix}: ${recordedForNothing(ghosts)}`,
    'prune-many': ({ semaphores, ghosts }) =>
      `Prune ${count(ghosts, 'ghost')} from ${count(semaphores, 'semaphore')}: ${recordedForNothing(ghosts)}`,
    'destroy-session': ({ name, node }) =>
      `Destroy session ${name}${node === null ? '' : ` on node ${node}`} and free everything that it holds.`,
    'delete-lock': ({ key }) => `Delete the key ${key}. No session holds it.`,
    'delete-semaphore': ({ prefix }) => `Delete the semaphore ${prefix}. No session holds or waits for it.`,
  } satisfies Sayings<ConsulSummary>,
  conditions: {
    'index-is': ({ index }) => `the index is still ${index}`,
    'index-and-holder': ({ index, sessionId }) => `the index is still ${index} and ${sessionId} holds it`,
    'unchanged-since-reread': () => 'unchanged since the re-read',
    'left-over-then': () => 'still left over, at the index of the re-read',
    'same-ghosts': ({ index }) => `the ghosts are the same; new holders are kept (read at index ${index})`,
    'same-limit': ({ limit, index }) =>
      `the limit is still ${limit}; holders may come or go (read at index ${index})`,
  } satisfies Sayings<ConsulCondition>,
  states: {
    'locks-keys': ({ keys }) => (keys === 0 ? 'locks no key in view' : `locks ${count(keys, 'key')}`),
    'locks-key': ({ key }) => `locks ${key}`,
    'locked-by': ({ sessionId }) => `locked by ${sessionId}`,
    'key-deleted': ({ key }) => `${key} is deleted`,
    'free-as-it-was': () => 'free, with the same value and flags',
    'gone-with-all': () => 'gone, with everything that it holds',
  } satisfies Sayings<ConsulState>,
  touched: {
    'slot-to-waiters': ({ waiters, first }) =>
      waiters === null
        ? 'any waiter gets it at once; there may be waiters that you may not see'
        : waiters === 0 || first === null
          ? 'no session waits for its slot now'
          : waiters === 1
            ? `goes to 1 waiter at once: ${first}`
            : `goes to whichever of ${count(waiters, 'waiter')} is fastest, at once; ${first} came first`,
    'record-stays': ({ waiters }) =>
      `its record stays, as a ghost: the slot is not free until pruned${
        waiters === null
          ? '; there may be waiters that you may not see'
          : waiters === 0
            ? ''
            : ` for ${count(waiters, 'waiter')}`
      }`,
    'place-in-line': () => 'its place among the waiters',
    'behavior-not-known': () =>
      'Signalbox cannot see the session: with behavior delete Consul deletes the key',
    'refused-for': ({ lockDelayMs }) => `refused to everyone for ${formatDuration(lockDelayMs)}`,
    'free-at-once': () => 'no lock-delay: any client may take it at once',
    'locks-nothing-under': ({ prefix }) => `${prefix}: this session locks no key under it`,
  } satisfies Sayings<ConsulTouch>,
  warnings: {
    'not-conditional': () =>
      'Consul destroys a session unconditionally. Signalbox compares everything just before. A change in the last milliseconds is still possible.',
    'lock-delay-protects': ({ lockDelayMs }) =>
      lockDelayMs === null
        ? 'Signalbox cannot see the session and does not know its lock-delay. Consul uses 15\u00a0s unless a client set one, and at most 60\u00a0s.'
        : `Consul then refuses the lock to everyone for ${formatDuration(lockDelayMs)}. The old holder can notice before the next begins.`,
    'no-lock-delay': ({ because }) =>
      ({
        semaphore:
          'Semaphores have no lock-delay. The next waiter starts at once, possibly before the evicted process stops.',
        'hand-over':
          'A hand-over sets no lock-delay. The next holder may begin while the old process still works.',
        session:
          'This session has no lock-delay, or one below 1\u00a0s: the next holder may start before the old one notices.',
      })[because],
    'split-brain': ({ node }) =>
      `Split brain: ${node === null ? 'nothing shows that the process has stopped' : `node ${node} is healthy; the process may still be working`}. Unless it notices before the next holder begins, both work at once.`,
    'command-left': ({ node }) =>
      `If a consul lock died or was stopped, nothing ends its command. That may keep running beside the next holder, without a time limit. Check ${node === null ? 'where the holder runs' : `node ${node}`}.`,
    'session-lives-on': ({ ends }) =>
      `The session survives, with everything else that it holds.${
        ends === 'never-by-time' ? ' It has no TTL and outlives its process.' : ''
      }`,
    'may-retake': ({ what }) =>
      what === 'lock'
        ? 'Nothing delays the next acquisition: any client may take the lock at once, even the same holder.'
        : 'A client that still runs may retake a slot with the same session.',
    'holds-more': ({ others }) =>
      `The session also holds ${others} other ${others === 1 ? 'key or slot' : 'keys or slots'} and loses ${others === 1 ? 'it' : 'them'} too.`,
    'next-holder': ({ waiters, first }) =>
      waiters === null
        ? 'Nothing records who waits for the lock. The next holder is unknown.'
        : waiters === 0 || first === null
          ? 'No session waits for the slot now.'
          : `${count(waiters, 'session waits', 'sessions wait')} for the slot. ${first} came first, but slots are granted by race, not by queue.`,
    'next-holder-unseen': () =>
      'Any waiter may take the slot: it is granted by race, not by queue. There may be waiters that you may not see.',
    'waiters-fail': ({ waiters, limit }) =>
      `${
        waiters === null
          ? 'There may be waiters that you may not see. Every waiting Go client (consul lock, api.Semaphore) fails at once'
          : waiters === 0
            ? 'No session waits now. A Go client that waits by then fails at once'
            : waiters === 1
              ? 'If the one waiter is a Go client (consul lock, api.Semaphore), it fails at once'
              : `The Go clients (consul lock, api.Semaphore) among ${waiters} waiters fail at once`
      } with “semaphore limit conflict” and cannot return until redeployed with ${limit}. Consul does not record which client ${waiters === 1 ? 'it is' : 'they are'}.`,
    'restarts-fail': ({ limit }) =>
      `Clients that start with another n also fail until they ask for ${limit}. Holders continue.`,
    'limit-forgotten': () =>
      'The last consul lock to leave deletes the coordination entry with the new limit.',
    'limit-one': () =>
      'consul lock -n=1 is a plain lock and refuses this entry. Its users cannot have a limit of 1.',
    'clients-recreate': ({ what }) =>
      `Clients recreate ${what === 'lock' ? 'the key' : 'the semaphore'} when they return, with their own settings.`,
    'lock-info-goes': ({ who }) =>
      `This also deletes the lock info${who === null ? '' : ` of ${who}`}, which Terraform left behind.`,
    'lock-info-stays': ({ who }) =>
      `The lock info${who === null ? '' : ` of ${who}`} stays: this token may not delete it. Terraform’s next lock overwrites it.`,
    'locks-stay': ({ entries }) =>
      entries === 1
        ? 'One entry below it stays: it may be its own lock. Signalbox then lists it as a free lock, and you can delete it there.'
        : `${entries} entries below it stay: they may be their own locks. Signalbox then lists them as free locks, and you can delete them there.`,
    'leftovers-stay': ({ entries }) =>
      `${
        entries === null
          ? 'Contenders’ leftover entries may stay; Signalbox could not read them just now'
          : entries === 1
            ? 'One leftover contender entry stays'
            : `${entries} leftover contender entries stay`
      }. They are harmless, and Signalbox does not show them once the semaphore is gone. Consul’s own tools delete them.`,
    'hidden-stay': ({ holders, ids }) => {
      const names = ids.split('\n').slice(0, 5).map(shortId).join(', ');
      return `${holders === 1 ? 'One recorded holder only looks like a ghost. Consul has its session but hides it from this token. It stays' : `${holders} recorded holders only look like ghosts. Consul has their sessions but hides them from this token. They stay`}: ${names}${holders > 5 ? ', …' : ''}.`;
    },
    'view-incomplete': () => 'This token may not see every key. The session may hold more than listed here.',
  } satisfies Sayings<ConsulWarning>,
  undos: {
    'set-limit-back-late': ({ limit }) =>
      `Set the limit back to ${limit}. Failed waiters do not return on their own. Clients that came with the new limit then fail.`,
    'none-session': () => 'No undo. The process must start a new session and queue.',
    'none-delete': () => 'No undo: a returning client recreates it.',
  } satisfies Sayings<ConsulUndo>,
  notes: {
    'ends-session': ({ sessionId }) => `Ends session ${sessionId}. Consul checks nothing first.`,
    'ends-session-holding': ({ sessionId, key }) =>
      `Ends session ${sessionId}, which holds ${key}. Consul checks nothing first.`,
    'then-off-record': () =>
      'Then removes it from the record. “index is stale” or “Did not write”: a client did so already, came or went.',
    'frees-slot': () => 'Frees only the slot. 409: something changed, and nothing was written.',
    'in-two-steps': () =>
      'The same in two steps: consul kv has no transaction. The entry goes only if the record was written.',
    unlocks: ({ key }) => `Unlocks ${key} only if its index and session are unchanged. 409: they changed.`,
    'unlocks-by-session': ({ key }) =>
      `Unlocks ${key} only while that session holds it. Unlike the transaction, this does not check the index.`,
    'prunes-ghosts': ({ key, ghosts }) => `Removes ${ghosts} from ${key}, only if its index is unchanged.`,
    'writes-limit': ({ key, limit }) =>
      `Writes the limit ${limit} to ${key}, only if its index is unchanged. If it changed, read again.`,
    'deletes-while': ({ key, index }) => `Deletes ${key} only while its index is ${index}.`,
    'deletes-entries': () => 'Deletes the entries only if their indexes are unchanged.',
    'no-session-command': () => 'The consul command cannot end sessions. Use the HTTP API.',
  } satisfies Sayings<ConsulNote>,
  differences: {
    'entry-came': ({ key, index }) => `${key} did not exist; now index ${index}`,
    'index-changed': ({ key, before, now }) => `index of ${key} was ${before ?? 'none'}, now ${now}`,
    'session-gone': ({ sessionId }) => `session ${shortId(sessionId)} existed; now gone`,
    'holdings-changed': ({ sessionId, before, now, keys }) =>
      `session ${shortId(sessionId)} held ${count(before, 'key')}, ${
        now === 0
          ? 'now none'
          : `now ${now}: ${keys.split('\n').join(', ')}${now > keys.split('\n').length ? ', …' : ''}`
      }`,
  } satisfies Sayings<ConsulDifference>,
};
