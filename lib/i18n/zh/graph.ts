/** Chinese: who waits for whom, drawn and in words. */
import type { WayOut } from '@/lib/domain/waitgraph/waitgraph';

export const graph = {
  title: '等待图',
  sentence: (waiting: number, knots: number) =>
    waiting === 0
      ? '没有看到有人在等待。'
      : `${waiting} 个客户端在等待${knots === 0 ? '，没有看到死锁。' : `。有 ${knots} 处死锁：其中的客户端无法继续。`}`,
  apart: (n: number) => (n === 0 ? '' : `${n} 个客户端持有的东西没有看到有人等待，未画出。`),
  limits:
    '对信号量的等待可见；对普通锁的等待在 Consul 里不留痕迹，因此通过普通锁形成的死锁看不到。这里认为等待中的客户端不会同时做别的事。',
  part: '可能还有你无权看到的等待者：他们不计入、不画出，涉及他们的死锁也看不到。',
  words: '文字',
  drawing: '图示',
  drawingLabel: '谁在等待谁的图示。挡住其他客户端的在最左边。同样的内容在前面以文字写出。',
  help: '拖动或用方向键移动，+ 和 − 缩放，0 适应窗口。',
  zoomIn: '放大',
  zoomOut: '缩小',
  fit: '适应窗口',
  preparing: '正在绘制…',
  held: (changes: number) =>
    changes === 0
      ? '指针或焦点在图上时，图保持不动。'
      : `图保持不动：有 ${changes} 项变化，指针和焦点离开后更新。`,
  waitsFor: '在等待',
  heldBy: '持有者',
  knot: '死锁',
  knotTitle: (n: number, behind: number) =>
    `${n} 个客户端的死锁${behind === 0 ? '' : `；后面还有 ${behind} 个在等待`}`,
  member: { holds: '持有', and: '，在等待', heldBy: '，其持有者：' },
  joined: (owner: string, sessions: number) => `${sessions} 个会话，按条目中写明的所有者视为一个：${owner}`,
  root: {
    heldBy: '持有者',
    nobody: '无人',
    blocker: (_n: number) => '没有看到自己在等待',
    ways: {
      'free-slot': '有名额空闲：有人即将进入，或无法进入',
      'entry-not-understood': '条目读不懂',
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
    ghostsTake: (_n: number) => '占着名额，背后无人',
    slots: (limit: number | null) => (limit === null ? '上限未知' : `${limit} 个名额`),
    lock: '锁；其等待者不可见',
    thing: '信号量',
  },
  empty: {
    none: '没有看到有人在等待。',
    noneText: '一旦有会话等待名额，就会连同它所等待的对象画在这里。谁在等待普通锁，在 Consul 里不可见。',
  },
};
