/** Chinese: what the dialog of an action says, beside its buttons. */

import type { PlannedWrite, Touch } from '@/lib/domain/actions/plan';
import { action as shown } from '@/lib/i18n/zh/action';

export const action = {
  ...shown,
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
