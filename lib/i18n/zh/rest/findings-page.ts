/** Chinese: the page of findings. */
import type { Need } from '@/lib/domain/findings/need';

export const findingsPage = {
  title: '问题',
  sentence: (need: Need, findings: number, notices: number) => {
    const below = [
      ...(findings === 0 ? [] : [`${findings} 个问题`]),
      ...(notices === 0 ? [] : [`${notices} 条提示`]),
    ];
    const list = below.length === 0 ? '' : `下面有 ${below.join('，')}。`;
    if (need.all === 0)
      return `${findings === 0 ? '可见范围内没有需要关注的项目。' : '可见范围内没有需要关注的锁或信号量。'}${list}`;
    const when = need.now === 0 ? '无紧急' : need.now === need.all ? '全部紧急' : `其中 ${need.now} 个紧急`;
    return `${need.all} 个需要关注，${when}。${list}`;
  },
  severities: {
    urgent: { title: '紧急', chip: '紧急' },
    warning: { title: '警告', chip: '警告' },
    notice: { title: '提示', chip: '提示' },
  },
  parts: {
    attention: '需要关注',
    notices: '提示：仅供参考，无需关注',
  },
  advice: '建议',
  all: '全部',
  show: '显示',
  kind: '种类',
  any: '不限',
  search: '键、前缀或会话',
  why: (n: number) => (n === 0 ? '依据' : `依据（${n}）`),
  wants: '在等待',
  more: (shown: number, all: number) => `列出 ${shown} 条，共 ${all} 条。`,
  inGraph: '在等待图中查看',
  instead: '或改为结束另一个',
  calm: (to: 'urgent' | 'warning' | 'notice') =>
    ['若不恶化，将于 ', ` 降为“${{ urgent: '紧急', warning: '警告', notice: '提示' }[to]}”。`] as const,
  gone: '已解除',
  cleared: '已解除',
  showAll: (n: number) => `显示全部 ${n} 个`,
  prune: {
    select: (name: string) => `选择 ${name}`,
    all: (n: number) => `全选 ${n} 个`,
    button: (n: number) => (n === 0 ? '清理所选' : `清理 ${n} 个信号量…`),
    none: '请先选择要清理的信号量。',
    note: (elsewhere: number) =>
      `一个计划涵盖全部${elsewhere === 0 ? '' : `（其中 ${elsewhere} 个在其他分组）`}，结果各自独立。`,
  },
  empty: {
    none: '没有问题。',
    noneText:
      '可见范围内没有锁、信号量或会话匹配任何规则。Signalbox 无法判断可见范围之外的内容：普通锁的等待者，以及它无权读取的键。',
    filtered: '没有匹配的问题。',
    filteredText: '移除一个筛选条件，查看其余问题。',
  },
};
