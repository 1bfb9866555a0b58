/** Chinese: the buttons of actions, and every expected failure. The words of their dialog are in `rest/action.ts`. */
import type { Action } from '@/lib/domain/actions/action';
import type { ProblemCode } from '@/lib/domain/problem';
import type { WhyFacts } from '@/lib/domain/refusal';
import type { ProblemText } from '@/lib/i18n/en/action';

export const action = {
  ghosts: (n: number) => `${n} 个幽灵`,
  buttons: {
    'lock.release': (name: string) => `释放 ${name}`,
    'semaphore.evict': (label: string) => `驱逐 ${label}`,
    'semaphore.prune': (ghosts: number) => `清理 ${ghosts} 个幽灵`,
    'semaphore.resize': '调整上限…',
    'session.destroy': '销毁会话…',
    'lock.delete': '删除锁…',
    'lock.remove-waiter': '移出队列…',
    'lock.ask': '请求释放…',
    'lock.wake': '唤醒等待者…',
    'semaphore.remove-waiter': '移出队列…',
    'semaphore.return-permits': '归还许可…',
    'semaphore.delete': '删除信号量…',
  },
  titles: {
    'lock.release': (label: string, name: string) => `从 ${label} 释放 ${name}`,
    'semaphore.evict': (label: string, name: string) => `从 ${name} 驱逐 ${label}`,
    'semaphore.prune': (label: string, name: string) => `从 ${name} 清理 ${label}`,
    'semaphore.resize': (_label: string, name: string) => `调整 ${name} 的上限`,
    'session.destroy': (label: string) => `销毁会话 ${label}`,
    'lock.delete': (_label: string, name: string) => `删除锁 ${name}`,
    'lock.remove-waiter': (label: string, name: string) => `将 ${label} 移出 ${name} 的队列`,
    'lock.ask': (label: string, name: string) => `请求 ${label} 释放 ${name}`,
    'lock.wake': (_label: string, name: string) => `唤醒 ${name} 的等待者`,
    'semaphore.remove-waiter': (label: string, name: string) => `将 ${label} 移出 ${name} 的队列`,
    'semaphore.return-permits': (_label: string, name: string) => `向 ${name} 归还许可`,
    'semaphore.delete': (_label: string, name: string) => `删除信号量 ${name}`,
  } satisfies Record<Action['type'], (label: string, name: string) => string>,
  titlesByWay: {
    'hand-over': (label: string, name: string) => `从 ${label} 移交 ${name}`,
    'slot-only': (label: string, name: string) => `收回 ${label} 在 ${name} 的名额`,
  },
  verbs: {
    'lock.release': (_label: string, name: string) => `释放 ${name}`,
    'semaphore.evict': (label: string) => `驱逐 ${label}`,
    'semaphore.prune': (label: string) => `清理 ${label}`,
    'semaphore.resize': (_label: string, name: string) => `调整 ${name} 的上限`,
    'session.destroy': () => '销毁会话',
    'lock.delete': (_label: string, name: string) => `删除锁 ${name}`,
    'lock.remove-waiter': (label: string) => `移出 ${label}`,
    'lock.ask': (label: string) => `请求 ${label}`,
    'lock.wake': () => '唤醒等待者',
    'semaphore.remove-waiter': (label: string) => `移出 ${label}`,
    'semaphore.return-permits': () => '归还许可',
    'semaphore.delete': (_label: string, name: string) => `删除信号量 ${name}`,
  } satisfies Record<Action['type'], (label: string, name: string) => string>,
  verbsByWay: {
    'hand-over': (_label: string, name: string) => `移交 ${name}`,
    'slot-only': (label: string) => `收回 ${label} 的名额`,
  },
  semaphores: (n: number) => `${n} 个信号量`,
  more: '更多…',
  menu: {
    'lock.release': '释放…',
    'hand-over': '立即移交…',
    'semaphore.evict': '驱逐…',
    'semaphore.prune': '清理幽灵…',
    'semaphore.resize': '调整上限…',
    'session.destroy': '销毁它的会话…',
    'lock.delete': '删除锁…',
    'lock.remove-waiter': '移出队列…',
    'lock.ask': '请求释放…',
    'lock.wake': '唤醒等待者…',
    'semaphore.remove-waiter': '移出队列…',
    'semaphore.return-permits': '归还许可…',
    'semaphore.delete': '删除信号量…',
  } satisfies Record<Action['type'] | 'hand-over', string>,
  blocked: {
    frozen: '本页已冻结，显示的可能不是当前持有者。请先恢复。',
    lost: '本页与 Signalbox 的连接已断开。重新连接后才能操作。',
    connecting: '本页正在连接 Signalbox。',
    catchingUp: 'Signalbox 还在读取。数据恢复实时后才能操作。',
    stale: '数据已过时。恢复实时之前，操作不可用。',
    down: '服务器没有应答。',
    until: '数据恢复实时后才能操作。',
  },
  how: {
    label: '方式',
    'destroy-session': {
      lock: {
        name: '销毁会话',
        text: (delay: string | null) =>
          `释放这个会话持有的一切。${delay === null ? '' : `之后 ${delay}内，Consul 拒绝任何人获取它的锁。`}`,
      },
      semaphore: {
        name: '销毁会话',
        text: '释放这个会话持有的一切。信号量没有锁延迟：下一个等待者会立刻开始。',
      },
    },
    'hand-over': {
      name: '立即移交',
      text: '只解锁这一个锁。没有锁延迟：任何客户端都可以立刻获取，原持有者也可以。会话保留。',
    },
    'slot-only': {
      name: '只收回名额',
      text: '只收回这个名额。会话保留，其他持有不变，还可能再次占用名额。',
    },
  },
  sections: {
    writes: '将写入',
    touches: '同时影响',
    subject: '当前显示',
    notices: '谁会察觉',
    unprotected: '风险',
    warnings: '操作须知',
    undo: '撤销',
    manual: '手动命令',
    difference: '发生的变化',
  },
};

export const problems: Readonly<Record<ProblemCode, ProblemText>> = {
  stale: {
    title: '查看之后，状态已变化。',
    meaning: '没有写入任何内容。',
    next: '请查看差异并重新计划。已输入的内容会保留。',
  },
  'not-held': {
    title: '那个客户端已经不再持有它。',
    meaning: '没有可释放的内容。没有写入任何内容。',
    next: '请关闭此处，查看当前持有者。',
  },
  'not-found': {
    title: '它已经不在了。',
    meaning: '它已被删除，会话已结束，或当前凭据看不到它。没有写入任何内容。',
    next: '请关闭此处，查看看板。',
  },
  'conflict-in-use': {
    title: '它正在使用中。这样做会破坏它的客户端。',
    meaning: '没有写入任何内容。',
    next: '先释放它的持有者，或选择其他方式。',
  },
  forbidden: {
    title: '当前凭据无权这样做。',
    meaning: '没有写入任何内容。',
    next: '请使用有写权限的令牌。释放锁需要对其键或其节点上的会话有写权限。',
  },
  'signed-out': {
    title: '你已退出登录。',
    meaning: '没有写入任何内容。',
    next: '请登录后重试。',
  },
  invalid: {
    title: '请求的格式不正确。',
    meaning: '没有写入任何内容。',
    next: '请更正标出的字段。如果没有标出，请重新加载：页面可能比服务器旧。',
  },
  unwritable: {
    title: 'Consul 拒绝写入这个名称。',
    meaning: '没有写入任何内容。',
    next: '请结束它的会话。新的客户端需要换一个名称。',
  },
  'read-only': {
    title: '这里的 Signalbox 是只读的。',
    meaning: '没有写入任何内容。',
    next: '请使用“手动命令”中的命令，或按上述原因处理。',
  },
  busy: {
    title: '同时请求过多。',
    meaning: '没有写入任何内容。',
    next: '等几秒再试。',
  },
  unavailable: {
    title: 'Signalbox 无法连接服务器，或服务器没有及时应答。',
    meaning: '没有写入任何内容。客户端和计时可能照常进行。锁可能在此期间被释放或获取。',
    next: '等页面显示实时后再试。',
  },
  'no-leader': {
    title: '集群没有 leader。',
    meaning: '它既不能授予也不能释放任何锁。没有写入任何内容。',
    next: '等选出 leader 后再试。届时会话会重新计时。',
  },
  'unknown-result': {
    title: '结果未知。',
    meaning: '写入发出之后连接中断，或没有应答。服务器可能已执行，也可能没有。',
    next: '不要盲目重发。请先查看当前状态，再重新计划。',
  },
};

export const problemsByWhy: Readonly<Partial<Record<keyof WhyFacts, ProblemText>>> = {
  'write-too-large': {
    title: '条目过大，无法写入。',
    meaning: '没有写入任何内容。',
    next: '请客户端负责人缩小这个条目，或调高 agent 的上限。',
  },
};
