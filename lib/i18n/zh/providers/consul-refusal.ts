/**
 * Chinese: what Consul refuses, and how it fails. Apart from `consul.ts`, which embeds load too: they say none of it.
 */
import type { ConsulFailure, ConsulRefusal, ConsulRule } from '@/lib/domain/codes/consul';
import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import { formatCount, formatDuration, unitsZh } from '@/lib/i18n/format/format';

export const consulWhy = {
  'key-refused': () =>
    'Consul 拒绝写入这个键。键不能以斜杠开头，不能以空格开头或结尾，也不能含有“..”部分，百分号编码也不行。你仍可结束它的会话。',
  'key-gone': () => '键已经不在。只有它的名字还处于锁延迟。',
  'not-a-session': ({ name }) => `${name} 不是会话 ID。没有可以结束的会话，也没有条目可用于只收回它的名额。`,
  'locks-nothing-here': ({ sessionId }) =>
    `会话 ${shortId(sessionId)} 在这里没有锁住任何键。Signalbox 无法通过比对收回它的名额。请改为结束它的会话。`,
  'no-session': ({ sessionId }) => `没有会话 ${shortId(sessionId)}。`,
  'no-entry': ({ key }) => `没有协调条目 ${key}。`,
  'entry-delayed': ({ key }) =>
    `${key} 处于锁延迟，最多一分钟。结束之前，Consul 不说明所记录的会话中哪些已经结束。请届时再试。`,
  'session-hidden': ({ sessionId }) =>
    `会话 ${shortId(sessionId)} 不是幽灵：Consul 中有它，但对此令牌隐藏。它的名额可能正在使用。`,
  'entry-locked': () => '有会话锁住了协调条目。',
  'prefixes-not-readable': () => 'Signalbox 不能读取这些前缀下的全部键。它不把任何持有者称为幽灵。',
  'idle-not-sure': () => 'Signalbox 不能读取这个前缀下的全部键，因此不称它为闲置。',
  'not-in-plan': ({ name }) => `计划不包含 ${name}。请重新计划。`,
  'record-left': () => '会话已销毁，但 Signalbox 未能清除它在协调条目中的记录。请再检查，如果还在，请清理。',
  'too-many-rights': ({ max, retryAfterMs }) =>
    `这里已有 ${max} 个权限不同的令牌在使用，已达上限。Signalbox 每 ${formatDuration(retryAfterMs, unitsZh)}重试一次。`,
  'rate-limited': () => '服务器正在限制请求速率。',
  'name-unknown': () => '服务器上没有这个名字。',
  // Audit rows of older versions have no count.
  'write-too-large': ({ bytes }) =>
    `${bytes == null ? '写入的内容超过这个 Consul 接受的大小。' : `值以 base64 编码后，这次写入共 ${formatCount(bytes)} 字节，超过这个 Consul 接受的大小。`}默认上限是 524,288 字节，由 agent 的 limits 设定（txn_max_req_len、kv_max_value_size）。`,
  'no-leader-now': () => '集群现在没有 leader。',
  'no-server-known': () => 'Consul agent 现在没有已知的服务器。',
  'leader-lost': () => 'Consul 在调用过程中失去了 leader。',
  'datacenter-away': ({ datacenter }) => `Consul agent 无法到达数据中心 ${datacenter}。`,
  'call-failed': ({ call, status }) => `服务器或它前面的代理在 ${call} 时出错（${status}）。`,
  'connection-not-taken': () => '服务器关闭了新连接，没有应答。',
  'leader-rate-limited': () => 'Consul 的 leader 正在限制请求速率。',
  'old-copy': () => '没有 leader。这是一台服务器自己的副本。',
} satisfies Sayings<ConsulRule & ConsulRefusal & ConsulFailure>;
