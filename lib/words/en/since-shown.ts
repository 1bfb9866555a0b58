/** English: what was seen to change behind an open dialog, each after the time at which it was seen. Short: its place is one line. */

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
  /** `label`: one that has a slot now and had none; `null` for none. */
  noSlot: (label: string | null) =>
    label === null
      ? 'it holds no slot here any more.'
      : `it holds no slot here any more, and ${label} has come.`,
  aliveAgain: 'it is alive again.',
  judged: (now: string, before: string) => `it counts as ${now} now, no longer as ${before}.`,
  /** Its session ended, and the record of it stays. */
  leaks: 'it locks nothing here any more, and its slot leaks.',
  holdings: 'it holds other things than it did.',
  ghosts: (n: number) => (n === 0 ? 'no slot leaks here any more.' : 'other slots leak here than did.'),
  limit: (limit: number | null) =>
    limit === null ? 'its limit cannot be read any more.' : `its limit is ${limit} now.`,
  used: 'somebody holds or wants a slot here now.',
};
