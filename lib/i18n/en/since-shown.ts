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
