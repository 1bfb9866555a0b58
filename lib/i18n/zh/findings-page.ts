/** Chinese (simplified): the page of findings. */
import type { Need } from '@/lib/domain/findings/need';

export const findingsPage = {
  title: '问题',
  sentence: (need: Need, findings: number, notices: number) => {
    const below = [
      ...(findings === 0 ? [] : [`${findings} 个问题说明原因`]),
      ...(notices === 0 ? [] : [`${notices} 条提示`]),
    ];
    const list = below.length === 0 ? '' : `下面有 ${below.join('，')}。`;
    if (need.all === 0)
      return `${findings === 0 ? '所见之处无需人工处理。' : '所见之处没有锁或信号量需人工处理。'}${list}`;
    const when =
      need.now === 0 ? '但不急' : need.now === need.all ? '现在就要处理' : `其中 ${need.now} 个现在就要处理`;
    return `${need.all} 个锁或信号量需人工处理，${when}。${list}`;
  },
  severities: {
    urgent: { title: '现在需人工处理', chip: '紧急' },
    warning: { title: '需要查看', chip: '警告' },
    notice: { title: '供参考', chip: '提示' },
  },
  all: '全部',
  show: '显示',
  kind: '种类',
  any: '不限',
  search: '键、前缀或会话',
  why: (n: number) => (n === 0 ? '依据' : `依据（${n}）`),
  wants: '在等待',
  more: (shown: number, all: number) => `共 ${all} 条，列出 ${shown} 条。`,
  inGraph: '在等待图中查看',
  instead: '或改为结束另一个',
  calm: (to: 'urgent' | 'warning' | 'notice') =>
    ['如不再恶化，将于 ', ` 降为“${{ urgent: '紧急', warning: '警告', notice: '提示' }[to]}”。`] as const,
  gone: '已消失，看到的时间：',
  cleared: '已解除',
  showAll: (n: number) => `显示全部 ${n} 个`,
  prune: {
    select: (name: string) => `选择 ${name}`,
    all: (n: number) => `全选 ${n} 个`,
    button: (n: number) => (n === 0 ? '清理所选' : `清理 ${n} 个信号量…`),
    none: '请先选择要清理的信号量。',
    note: (elsewhere: number) =>
      `一个计划涵盖全部${elsewhere === 0 ? '' : `（其中 ${elsewhere} 个在其他分组）`}，各有各的结果。`,
  },
  empty: {
    none: '没有发现问题。',
    noneText:
      '视野内的锁、信号量和会话都没有触发规则。视野之外的不作判断：例如普通锁的等待者，以及无权读取的键。',
    filtered: '没有匹配的问题。',
    filteredText: '去掉一个筛选条件，查看其余问题。',
  },
};
