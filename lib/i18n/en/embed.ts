/** English: what a reader sees who has no console, on an embedded page and on a badge. */

/** Instants come with their zone where no script runs, as nobody knows the reader's own. */
export const embed = {
  title: 'Signalbox',
  refused: {
    title: 'This link shows nothing.',
    text: 'It is incomplete or unknown, is paused, was revoked or has ended. Ask whoever put it here for a new one.',
  },
  unavailable: {
    title: 'This cannot be shown right now.',
    text: 'Signalbox cannot check the link at the moment, or too many readers are here. It says nothing about the lock. Reload in a minute.',
  },
  over: {
    plain: 'This link shows nothing new any more: it is paused or has ended.',
    'maker-gone': 'This link has ended: the token of the person who made it is gone.',
    narrow: 'This link shows nothing for now: Signalbox cannot tell what the person who made it may read.',
  },
  /** `none`: the maker may read nothing of it now. `part`: not all of it, or it is not known. */
  reach: {
    none: 'Not shown: the person who made this link may not read it at the moment.',
    part: 'Some of this is not shown: the person who made this link may not read all of it at the moment.',
  },
  freshness: {
    live: (time: string) => `live · ${time}`,
    /** The server's picture, before any script has run, or where none may. */
    asOf: (time: string) => `as of ${time}`,
    catchingUp: 'not read yet',
    stale: (time: string | null) => (time === null ? 'stale' : `stale since ${time}`),
    lost: (time: string | null) =>
      time === null ? 'Signalbox not reached' : `Signalbox not reached since ${time}`,
    over: 'link paused or ended',
    down: (what: string) => what,
  },
  /** `time`: when it was so for certain. */
  old: (time: string) => `As of ${time}: what is shown may no longer be so.`,
  noScript: 'Scripts are off, so this does not move. Reload to see the present state.',
  notThere: {
    lock: 'There is no such lock now. It may come into being when a client takes it.',
    semaphore: 'There is no such semaphore now. It may come into being when a client takes a slot.',
    board: 'There is no lock and no semaphore here now.',
    unread: 'Nothing has been read from Consul yet.',
  },
  sections: {
    holders: 'Holders',
    holder: 'Holder',
    waiters: 'Waiters',
    value: 'Stored value',
    findings: 'Needs attention',
  },
  evidence: (n: number) => `Evidence (${n})`,
  since: 'since',
  ends: 'ends if dead',
  node: 'node',
  noHolders: 'Nobody holds a slot.',
  holdersUnread: 'Who holds a slot cannot be read.',
  unlisted: (n: number) => `${n} more are recorded and lock nothing here.`,
  noHolder: 'Nobody holds it.',
  noWaiters: 'Nobody waits.',
  noWaitersInView: 'Nobody in view waits.',
  waitersPart: 'Others may wait who are not shown here.',
  waitersUnseen: 'Who waits for a plain lock leaves no trace in Consul, so it is not known.',
  waiting: (n: number, part: boolean) => `${n === 1 ? '1 waits' : `${n} wait`}${part ? ', others may' : ''}`,
  more: (n: number) => `and ${n} more`,
  openConsole: 'Open in Signalbox',
  newTab: 'opens in a new tab',
  badge: {
    held: 'held',
    free: 'free',
    delayed: 'in delay',
    unknown: 'unknown',
    full: 'full',
    over: 'over limit',
    attention: (n: number) => `${n} need attention`,
    attentionOne: 'needs attention',
    quiet: 'in order',
    absent: 'not there',
    unread: 'not read yet',
    refused: 'not shown',
    slots: (recorded: number, limit: number) => `${recorded}/${limit}`,
    /** The picture's title; it never claims to be live, as nobody knows when it is looked at. */
    alt: (name: string, state: string, time: string) => `${name}: ${state}, as of ${time}`,
    staleAlt: (name: string, state: string, time: string) =>
      `${name}: ${state} as last read at ${time}; Consul has not been read since`,
    asOf: (time: string) => `as of ${time}`,
  },
};
