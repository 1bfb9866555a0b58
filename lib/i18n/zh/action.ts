/** Chinese: actions, their dialog, what follows, and every expected failure. */
import type { Action } from '@/lib/domain/actions/action';
import type { PlannedWrite, Touch } from '@/lib/domain/actions/plan';
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
  resize: {
    label: '新上限',
    now: (limit: number | null) => (limit === null ? '上限未知。' : `现在的上限是 ${limit}。`),
    invalid: (max: string) => `请输入 1 到 ${max} 的整数。`,
    enter: '输入另一个上限，预览写入内容。',
    verdict: {
      'fails-waiters': {
        title: 'Go 客户端：新上限会让所有等待者失败。',
        text: '无论调高还是调低，正在等待的 Go 客户端都会立即失败。仍以旧的 n 启动的客户端也会失败，直到重新部署。持有者不受影响。最后一个离开的 consul lock 会删除条目，新上限随之消失。使用 consul lock 时上限不能为 1。',
        waiting: (n: number, part: boolean) =>
          `${part ? '可能还有你无权看到的等待者。' : ''}${n === 0 ? `目前所示${part ? '可见范围内' : ''}没有会话在等待。` : `目前所示有 ${n} 个在等待：`}`,
      },
      counts: {
        title: '客户端按许可递减计数：任何上限都是安全的。',
        text: '调高立即生效。调低不会收回许可：归还足够多之前，没有客户端能取得许可。',
      },
      live: {
        title: '列表型客户端：调高是安全的。',
        text: '客户端每次都读取存储的上限。调高立即生效，不会让任何客户端失败。',
        least: (recorded: number) =>
          recorded === 0
            ? ''
            : `Signalbox 拒绝低于 ${recorded} 的上限，即已记录的持有者数：否则这些客户端会无限制地放行。请先清理已死的持有者。`,
      },
    },
  },
  returns: {
    label: '要归还的许可数',
    now: (free: number | null) => (free === null ? '有多少空闲未知。' : `现在有 ${free} 个空闲。`),
    enter: '输入数量，预览写入内容。',
    text: '没有人知道这些许可是谁的。只归还随客户端死亡而丢失的许可：每多归还一个，就会多放进一个客户端。',
  },
  plan: '计划',
  planning: '正在读取当前状态以制定计划。尚未写入任何内容。',
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
  touchesNothing: '没有其他影响。',
  reach: {
    freed: (n: number, other: boolean) => `${other ? '另外' : ''}释放 ${n} 个锁或名额。`,
    deleted: (n: number, other: boolean) => `${other ? '另外' : ''}删除 ${n} 个键。`,
    fails: (n: number) => `${n === 1 ? '1 个等待者可能' : `最多 ${n} 个等待者会`}立即失败。`,
    gap: '',
  },
  tools: {
    curl: 'curl，与 Signalbox 发送的相同',
    consul: 'consul 命令',
    'redis-cli': 'redis-cli 命令',
    'zkCli.sh': 'zkCli.sh 命令',
  },
  shown: {
    session: (id: string) => `会话 ${id}`,
    name: (name: string) => `名称 ${name}`,
    node: (node: string) => `节点 ${node}`,
    index: (index: string) => `索引 ${index}`,
    limit: (limit: number) => `上限 ${limit}`,
  },
  undoButton: (limit: number) => `把上限改回 ${limit}…`,
  partsAgain: (n: number) => `为被拒绝的 ${n} 个重新计划`,
  parts: (done: number, of: number) => `已完成 ${done} 个，共 ${of} 个`,
  moreTouches: (n: number) => `还有 ${n} 个`,
  operations: {
    update: (target: string) => `更新 ${target}`,
    delete: (target: string) => `删除 ${target}`,
    unlock: (target: string) => `解锁 ${target}`,
    'destroy-session': (target: string) => `销毁会话 ${target}`,
  } satisfies Record<PlannedWrite['operation'], (target: string) => string>,
  condition: (condition: string) => `仅当${/^[\x20-\x7e]/.test(condition) ? ' ' : ''}${condition}`,
  unconditional: '无条件：Consul 无法检查',
  values: '存储的值：之前与之后',
  before: '之前',
  after: '之后',
  effects: {
    released: '被释放',
    deleted: '被删除',
    fails: '如果是 Go 客户端，会立即失败',
    'loses-slot': '失去名额',
  } satisfies Record<Touch['effect'], string>,
  reason: '原因',
  reasonHelp: (name: string | null) =>
    name === null ? '连同时间记入审计，不含姓名。' : `连同你的名字（${name}）和时间记入审计。`,
  reasonNeeded: '请填写原因。',
  reasonOptional: '（可选）',
  confirm: (name: string) => ['输入', name, '以确认'] as const,
  confirmNeeded: (name: string) => `请按显示的原样输入 ${name}。`,
  cancel: '取消',
  close: '关闭',
  planAgain: '重新计划',
  applying: '正在写入…',
  noPlan: '还没有计划。',
  done: {
    title: (title: string) => `已完成：${title}`,
    partly: '部分完成。',
    refused: '被拒绝',
    followTitle: '服务器上的后续',
    sent: '已发送',
    confirmed: '服务器已确认',
    readAfterwards: '应答丢失；事后读取显示已完成',
  },
  follow: {
    gone: (who: string) => `${who} 已移除`,
    slotFree: (n: number) => (n === 1 ? '名额空闲' : `${n} 个名额空闲`),
    lockFree: '锁空闲',
    taken: (who: string) => `被 ${who} 获取`,
    retaken: (who: string) => `再次被 ${who} 获取`,
    returned: (who: string) => `再次被 ${who} 用新会话获取`,
    handedOver: (who: string) => `已移交：被 ${who} 获取`,
    delayed: '处于锁延迟',
    delayedUntil: '锁延迟到 ',
    delayRest: (rest: string) => `Consul 还会拒绝任何人获取 ${rest}。`,
    delayOver: '锁延迟已结束，锁空闲',
    limit: (n: number) => `上限为 ${n}`,
    available: (n: number) => `${n} 个许可空闲`,
    waitsNot: (who: string) => `${who} 不再等待`,
    sessionGone: '会话已结束',
    entryGone: '条目已删除',
    watching: '正在等待下一个持有者…',
    waitingToSee: '数据中尚未出现…',
    nobody: (time: string) => `${time}内没有新的持有者`,
    watchingQueue: '正在观察原先的等待者…',
    stillListed: (n: number, time: string) =>
      `${time}后，原先的等待者中仍有 ${n} 个在列。已放弃的客户端在会话结束前仍会在列。`,
    notFresh: '数据已过时。Signalbox 现在无法跟踪后续。',
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
