/** Chinese: why a lock or semaphore is stuck. Names, times and spans arrive formatted. */
import type { Capabilities } from '@/lib/domain/capabilities';
import type { Verdict } from '@/lib/domain/model';

type Holds = Capabilities['holds'];

const mayBeDead = '可能已死：没有迹象表明进程是否存活';

const states: Readonly<Record<Verdict, string>> = {
  alive: '有存活迹象',
  overdue: '很可能已死',
  suspect: '可能已死或失联',
  'node-bound': mayBeDead,
  immortal: mayBeDead,
  ghost: '已不存在',
  unknown: '无法判定：有事实不可见',
};

export const explain = {
  title: '为什么卡住',
  waitTitle: '客户端为什么在等待',
  rests: '以上说明的依据',
  blocks: {
    deadlock: (n: number, first: string, second: string, behind: number) =>
      `${
        n === 2
          ? `${first} 和 ${second} 各自持有对方等待的东西，双方都无法继续。`
          : `${n} 个客户端（${first}、${second} 等）持有彼此等待的东西，谁都无法继续。`
      }${behind === 0 ? '' : `后面还有 ${behind} 个客户端在等待。`}`,
    root: (who: string, name: string, verdict: Verdict, since: string | null) =>
      verdict === 'ghost'
        ? `根源是 ${name}：它有名额泄漏。`
        : `根源是 ${who}：它已持有 ${name}${since === null ? '，时长未知' : ` ${since}`}，在可见范围内不等待任何东西，${states[verdict]}。`,
    passesOn: (who: string, name: string, here: boolean) =>
      `${who} 在等待 ${name}，同时持有${here ? '这里的名额或锁' : '下一个客户端等待的名额'}。`,
    between: (n: number) => `它们之间还有 ${n} 个客户端。`,
    holder: (who: string, verdict: Verdict, since: string | null, more: number) =>
      verdict === 'ghost'
        ? `记录的持有者是 ${who}，它已不存在。`
        : `${who} 已持有它${since === null ? '，时长未知' : ` ${since}`}${more === 0 ? '' : `，另有 ${more} 个读者`}，${states[verdict]}。`,
    slots: (recorded: number, limit: number | null) =>
      limit === null
        ? `${recorded} 个名额已占用；上限未知。`
        : limit === 1 && recorded === 1
          ? '这里唯一的名额已占用。'
          : `这里 ${limit} 个名额中 ${recorded} 个已占用。`,
    holders: (n: number, who: string, verdict: Verdict, since: string | null, holds: Holds) => {
      if (verdict === 'ghost')
        return holds === 'lease'
          ? `其中 ${n} 个已过期，尚未清除。`
          : `其中 ${n} 个泄漏：其${holds === 'session' ? '会话在这里什么都不持有' : '客户端已不存在'}。`;
      return `${n === 1 ? `${who} ` : `${n} 个持有者`}${states[verdict]}。${since === null ? '' : `${who} 已持有名额 ${since}。`}`;
    },
    unlisted: (n: number) => `另有 ${n} 个记录的持有者只计数，未列出。`,
    unnamed: '许可由谁持有没有存储。',
    free: '没有客户端持有它。',
    refused: (until: string | null) =>
      `没有客户端持有它，锁延迟拒绝任何人获取${until === null ? '' : `，最迟到 ${until}`}。`,
    unknown: '是否有客户端持有它，无法判断。',
    holdersHidden: '这里有无权读取的条目，谁持有名额、谁在等待无法判断。',
    unreadable: '它的记录无法理解，谁持有名额无法判断。',
    waits: (n: number, who: string | null, since: string | null) =>
      n === 0
        ? '没有客户端在等待。'
        : n === 1 && who !== null
          ? since === null
            ? `${who} 在等待，时长未知。`
            : `${who} 已等待 ${since}。`
          : `${n} 个客户端在等待${who === null || since === null ? '' : `，其中 ${who} 已等待 ${since}`}。`,
    waitsCounted: (n: number) =>
      n === 0 ? '没有计到等待的客户端。' : `${n} 个客户端在等待：只有数量，没有名字。`,
    waitsUntold: { 'no-trace': '谁在等待，后端没有记录。', 'not-counted': '有多少客户端在等待，未知。' },
    waitsHidden: '可能还有无权看到的等待者。',
    deadHead: (who: string, behind: number) =>
      `${who} 排在队首，但看来已不存在或已卡住；${behind === 0 ? '它后面暂时没有等待者' : `${behind} 个客户端排在它后面`}。`,
    asleep: (n: number) => `没有客户端持有它，却有 ${n} 个客户端在旁边休眠，没有被唤醒。`,
  },
  since: {
    exact: (age: string, time: string) => `${age}，始于 ${time}`,
    atLeast: (age: string) => `至少 ${age}`,
  },
  ends: {
    silent: (who: string, at: string, holds: Holds) =>
      `如果 ${who} 一直没有动静，它的${holds === 'lease' ? '租约' : '会话'}最迟在 ${at} 结束。`,
    lease: (who: string, at: string) => `${who} 的租约若不续期，在 ${at} 到期。`,
    dead: (who: string, within: string, holds: Holds) =>
      `${who} 随时可能自行释放；如果进程已死，它的${holds === 'lease' ? '租约' : '会话'}在 ${within}内结束。`,
    thenRefused: (length: string, until: string | null) =>
      `之后 Consul 在 ${length}内拒绝任何人获取${until === null ? '' : `，最迟到 ${until}`}。`,
    node: (who: string, node: string | null) =>
      `${who} 随时可能自行释放；否则只有在${node === null ? '它所绑定的服务器' : `节点 ${node} `}故障或离开时，会话才会结束。`,
    never: (who: string) => `${who} 随时可能自行释放；除此之外，没有什么会自行结束它。`,
    leak: {
      session: '泄漏的名额不会自行释放，除非有新来的客户端清理它。',
      lease: '下一个来请求的客户端会清除已过期的许可。',
      entry: '泄漏的名额不会自行释放。',
    } satisfies Record<Holds, string>,
    hidden: (who: string) => `${who} 何时结束无法判断：它的会话不可见，可能是没有权限，也可能已结束。`,
    untold: (who: string) => `${who} 随时可能自行释放；还有什么会结束它，可见的事实没有说明。`,
    noneOfThem: '只要它们都在等待，可见范围内没有什么会自行结束这种局面。',
    delay: (at: string) => `锁延迟最迟在 ${at} 结束。`,
    waitersTimeOut: '它们会在各自的等待超时后醒来；具体何时没有记录。',
    deadHeadStays: (who: string) => `${who} 何时会自行离开队列，无法判断。`,
    entryStays: '可见范围内没有什么会自行修复这条记录。',
  },
  now: {
    action: (what: string) => `现在要结束它：${what}。`,
    refused: (why: string) => `Signalbox 现在无法结束它。${why}`,
    none: 'Signalbox 没有提议能立即结束它的操作。',
  },
};
