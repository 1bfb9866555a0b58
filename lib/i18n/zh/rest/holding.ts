/** Chinese: what is held without a session, beside what a row of the board says. */
import type { Verdict } from '@/lib/domain/model';
import { holding as shown } from '@/lib/i18n/zh/holding';

type Meanings = Readonly<Record<Verdict, string>>;

const lease: Meanings = {
  alive: '租约有效。如果进程已死，租约到期时会释放它所持有的。',
  overdue: '曾看到租约续期，此后停止。很可能已死；租约会自行到期。',
  suspect: '可能已死或失联。租约会自行到期。',
  'node-bound': '租约不随进程结束，而随别的条件结束。',
  immortal: '它没有会到期的租约。如果进程已死，只有人工才能释放。',
  ghost: '租约已到期，但记录还在。下一个来请求的客户端会清除它。',
  unknown: '无法判断进程是否存活。未知不等于已死。',
};

const entry: Meanings = {
  alive: '条目存在：在其会话最近一次超时时限之内，客户端仍有连接。',
  overdue: '客户端没有动静。会话超时后，条目随之消失。',
  suspect: '客户端可能已死或失联。会话超时后，条目随之消失。',
  'node-bound': '条目不随客户端消失，而随别的条件消失。',
  immortal: '时间不会结束它。如果进程已死，只有人工才能释放。',
  ghost: '客户端已不存在，但条目还在。',
  unknown: '条目存在。客户端是否存活无法判断。',
};

export const holding = {
  ...shown,
  meanings: { lease, entry },
  deadWaiter: '客户端已不存在，但它在队列中的位置还在。',
  stuckWaiter: '客户端在等待，但它在队列中的位置已被删除。',
  liveWaiter: '它在队列中等待。',
  modes: { read: '读', write: '写' },
  facts: { times: '获取', permits: '持有' },
  times: (n: number) => `${n} 次（重入）`,
  permits: (n: number) => `${n} 个许可`,
  shownOnly: 'Signalbox 只显示这一种，在这里不能对它做任何操作。',
  token: '栅栏令牌（fencing token）',
  tokenHelp: '每次持有都会增大：校验它的存储会拒绝旧的持有者。',
  remove: '移除…',
  state: '状态',
  entry: '其条目',
};
