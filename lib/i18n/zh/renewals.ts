/** Chinese: renewals of sessions, as far as they are observed. */
import type { RenewalBasis } from '@/lib/i18n/en/renewals';

const basis: Readonly<Record<RenewalBasis, string>> = {
  renewal: '即最后一次续期之后两个 TTL',
  gap: '即重新跟踪其 agent 之后两个 TTL，因为此前可能有没看到的续期',
  election: '即看到新 leader 之后两个 TTL，选举会让每个会话重新计时',
};

const countedFrom: Readonly<Record<RenewalBasis, string>> = {
  renewal: '',
  gap: '（从重新跟踪其 agent 时算起）',
  election: '（从看到新 leader 时算起）',
};

export const renewals = {
  fact: '续期',
  seen: (age: string, agents: string) => `${age} 前续期，在 agent ${agents} 上看到。`,
  due: (rest: string, from: RenewalBasis) => `如果不再续期，${rest} 后逾期${countedFrom[from]}。`,
  dueNow: '下一次续期应当到了。',
  last: (time: string, age: string, agents: string) =>
    `最后一次在 ${time}（${age} 前），在 agent ${agents} 上看到。`,
  overdue: (age: string) => `已逾期 ${age}。`,
  ends: (latest: string, rest: string, from: RenewalBasis) =>
    `如果不再续期，最迟在 ${latest}（${rest} 后）结束：${basis[from]}。`,
  endsNow: '时间已到。要么 Consul 正在结束它，要么它在没有观察的地方续期。',
  agents: '观察续期的 agent',
  agentsNote: '客户端通过本机的 agent 续期。经由未列出的 agent 的续期是看不到的。',
  states: {
    observed: (since: string | null) => (since === null ? '正在观察' : `自 ${since} 起不间断观察`),
    connecting: () => '正在打开日志',
    forbidden: () => '没有观察：当前凭据无权跟踪它的日志（agent:read）',
    unreachable: () => '没有观察：目前无法跟踪它的日志',
    off: () => '没有观察：此功能已关闭（SIGNALBOX_RENEWAL_AGENTS）',
  },
};
