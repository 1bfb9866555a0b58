/** English: embedded pages and badges, for readers without the console. */

/** Without a script the reader's zone is unknown, so instants come with theirs. */
export const embed = {
  title: 'Signalbox',
  refused: {
    title: 'This link shows nothing.',
    text: 'The link is incomplete, unknown, paused, revoked or expired. Ask the person who placed it for a new one.',
  },
  unavailable: {
    title: 'Signalbox cannot show this right now.',
    text: 'Signalbox cannot check the link, or has too many readers. This says nothing about the lock. Reload in a minute.',
  },
  over: {
    plain: 'This link shows no updates: it is paused or has ended.',
    'maker-gone': 'This link has ended: its creator’s token is gone.',
    narrow: 'This link shows nothing for now: Signalbox cannot verify what its creator may read.',
  },
  /** `none`: the maker may read nothing of it now. `part`: not all of it, or unknown. */
  reach: {
    none: 'Hidden: the link’s creator may not read it right now.',
    part: 'Partly hidden: the link’s creator may not read all of it right now.',
  },
  freshness: {
    live: (time: string) => `live · ${time}`,
    /** The server's rendering, before or without scripts. */
    asOf: (time: string) => `as of ${time}`,
    catchingUp: 'not read yet',
    stale: (time: string | null) => (time === null ? 'stale' : `stale since ${time}`),
    lost: (time: string | null) =>
      time === null ? 'Signalbox not reached' : `Signalbox not reached since ${time}`,
    over: 'link paused or ended',
    down: (what: string) => what,
  },
  /** `time`: when it was so for certain. */
  old: (time: string) => `As of ${time}. It may have changed since.`,
  noScript: 'Scripts are off: this page does not update. Reload for the current state.',
  notThere: {
    lock: 'This lock does not exist now. A client that takes it may create it.',
    semaphore: 'This semaphore does not exist now. A client that takes a slot may create it.',
    board: 'No locks or semaphores here now.',
    unread: 'Signalbox has read nothing yet.',
  },
  sections: {
    history: 'Last 24 hours',
    holders: 'Holders',
    holder: 'Holder',
    waiters: 'Waiters',
    value: 'Stored value',
    findings: 'Needs attention',
  },
  evidence: (n: number) => `Evidence (${n})`,
  since: 'since',
  ends: 'frees within',
  node: 'node',
  noHolders: 'No session holds a slot.',
  holdersUnread: 'Signalbox cannot read who holds a slot.',
  unlisted: (n: number) => `${n} more are recorded but lock nothing here.`,
  noHolder: 'No session holds it.',
  noWaiters: 'No waiters.',
  noWaitersInView: 'No waiters in view.',
  waitersPart: 'There may be waiters not shown here.',
  waitersUnseen: 'Nothing records who waits for a plain lock.',
  waiting: (n: number, part: boolean) => `${n === 1 ? '1 waits' : `${n} wait`}${part ? ', others may' : ''}`,
  more: (n: number) => `and ${n} more`,
  openConsole: 'Open in Signalbox',
  newTab: 'opens in a new tab',
  badge: {
    held: 'held',
    /** `least`: it was held already when Signalbox began to look. */
    heldFor: (age: string, least: boolean) => `held ${least ? '≥ ' : ''}${age}`,
    free: 'free',
    delayed: 'in delay',
    unknown: 'unknown',
    full: 'full',
    over: 'over limit',
    attention: (n: number) => `${n} need attention`,
    attentionOne: 'needs attention',
    quiet: 'in order',
    /** Of a board of which some rows may not be read. */
    part: 'partly hidden',
    absent: 'not there',
    unread: 'not read yet',
    refused: 'not shown',
    slots: (recorded: number, limit: number) => `${recorded}/${limit}`,
    /** The text never claims to be live, as the time of looking is unknown. */
    alt: (name: string, state: string, time: string) => `${name}: ${state}, as of ${time}`,
    staleAlt: (name: string, state: string, time: string) =>
      `${name}: ${state} at the last read, ${time}; no read since`,
    asOf: (time: string) => `as of ${time}`,
  },
};
