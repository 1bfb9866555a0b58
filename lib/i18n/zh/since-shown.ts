/** Chinese: what was seen to change behind an open dialog, each after the time at which it was seen. */

export const sinceShown = {
  seenAt: ['', ' 看到：'],
  gone: {
    lock: '这个键已经不在了。',
    semaphore: '这个信号量已经不在了。',
    session: '这个会话已经不在了，或无法看到。',
  },
  nobody: '已经没有人持有它。',
  holderUnknown: '已无法得知谁持有它。',
  taken: (label: string) => `现在由 ${label} 持有。`,
  retaken: '它被释放过，又被同一个会话取得。',
  overwritten: '它的条目被改写过，仍由同一个会话持有。',
  noSlot: (label: string | null) =>
    label === null ? '它在这里已经没有名额。' : `它在这里已经没有名额，${label} 已进来。`,
  aliveAgain: '它又存活了。',
  unfollowed: '已无法观察它的续期，它是否存活不得而知。',
  countedAnew: '它的静默从头计时，还没有看到续期。',
  healthUnread: '已无法读到它的节点和检查是否正常。',
  judged: (now: string, before: string) => `它现在的判定是“${now}”，不再是“${before}”。`,
  leaks: '它在这里已不再锁定任何键，名额泄漏了。',
  holdings: '它持有的东西与当时不同。',
  ghosts: (n: number, untold: number) => {
    if (n === 0) return untold === 0 ? '这里已经没有泄漏的名额。' : '已无法得知这里是否有名额泄漏。';
    return untold === 0
      ? `这里仍有 ${n} 个名额泄漏，其余的不再泄漏。`
      : `这里仍有 ${n} 个名额泄漏；另有 ${untold} 个无法得知。`;
  },
  otherGhosts: '这里泄漏的名额与当时不同。',
  unreadable: '已无法读到持有者的记录。',
  unrecorded: '持有者的记录已经不在了，或无法看到。',
  limit: (limit: number | null) => (limit === null ? '已无法读到它的上限。' : `上限现在是 ${limit}。`),
  used: '现在有会话持有或想要这里的名额。',
};
