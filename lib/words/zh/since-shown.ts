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
  noSlot: (label: string | null) =>
    label === null ? '它在这里已经没有名额。' : `它在这里已经没有名额，${label} 已进来。`,
  aliveAgain: '它又存活了。',
  judged: (now: string, before: string) => `它现在的判定是“${now}”，不再是“${before}”。`,
  leaks: '它在这里已不再锁定任何键，名额泄漏了。',
  holdings: '它持有的东西与当时不同。',
  ghosts: (n: number) => (n === 0 ? '这里已经没有泄漏的名额。' : '这里泄漏的名额与当时不同。'),
  limit: (limit: number | null) => (limit === null ? '已无法读到它的上限。' : `上限现在是 ${limit}。`),
  used: '现在有会话持有或想要这里的名额。',
};
