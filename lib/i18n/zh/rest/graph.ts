import type { WayOut } from '@/lib/domain/waitgraph/waitgraph';

export const graph = {
  title: '等待图',
  sentence: (waiting: number, knots: number) =>
    waiting === 0
      ? '没有可见的等待者。'
      : `${waiting} 个客户端在等待${knots === 0 ? '，没有可见的死锁。' : `。${knots} 处死锁：其中的客户端无法继续。`}`,
  apart: (n: number) => (n === 0 ? '' : `${n} 个持有者未画出：没有可见的等待者。`),
  limits: '普通锁的等待者没有记录。Signalbox 看不到经由普通锁的死锁。等待中的客户端按空闲处理。',
  part: '可能还有你无权看到的等待者。Signalbox 不计入、不画出它们，也无法显示涉及它们的死锁。',
  words: '文字',
  drawing: '图示',
  drawingLabel: '等待图：阻塞其他客户端的在最左边。前面的文字内容相同。',
  help: '拖动或用方向键移动，+ 和 − 缩放，0 适应窗口。',
  zoomIn: '放大',
  zoomOut: '缩小',
  fit: '适应窗口',
  preparing: '正在绘制…',
  held: (changes: number) =>
    changes === 0 ? '在图中操作时，图保持不动。' : `图保持不动：${changes} 项变化待你离开后更新。`,
  waitsFor: '在等待',
  heldBy: '持有者',
  knot: '死锁',
  legend: {
    label: '图例',
    thing: '锁或信号量',
    client: '客户端',
    waits: '等待',
    heldBy: '持有者',
  },
  knotTitle: (n: number, behind: number) =>
    `${n} 个客户端的死锁${behind === 0 ? '' : `；后面还有 ${behind} 个在等待`}`,
  member: { holds: '持有', and: '，在等待', heldBy: '，其持有者：' },
  joined: (owner: string, sessions: number) => `${sessions} 个会话，按所有者名称归为一个：${owner}`,
  root: {
    heldBy: '持有者',
    nobody: '无持有者',
    blocker: (_n: number) => '自身没有可见的等待',
    ways: {
      'free-slot': '有名额空闲：有客户端即将进入，或无法进入',
      'entry-not-understood': 'Signalbox 无法解读条目',
      'holder-in-doubt': '有持有者可能已死，或无法判定',
    } satisfies Readonly<Record<Exclude<WayOut, 'ghost'>, string>>,
    ghosts: (n: number) => `${n} 个幽灵占着名额`,
  },
  waiting: (n: number) => `${n} 个在等待`,
  more: (n: number) => `还有 ${n} 个`,
  alsoHolds: '并持有',
  box: {
    wait: (n: number) => `${n} 个等待`,
    hold: (n: number) => `${n} 个持有`,
    ghosts: (n: number) => `${n} 个幽灵`,
    ghostsTake: (_n: number) => '占着名额，实际无持有者',
    slots: (limit: number | null) => (limit === null ? '上限未知' : `${limit} 个名额`),
    lock: '锁；其等待者不可见',
    thing: '信号量',
  },
  empty: {
    none: '没有可见的等待者。',
    noneText: '会话一旦等待名额，就会连同它所等待的会话出现在这里。普通锁的等待者没有记录。',
  },
};
