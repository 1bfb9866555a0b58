/** Chinese: a screen that cannot be trusted. One outage, one set of sentences. */

import type { OutageCode } from '@/lib/domain/outage';
import type { OutageText } from '@/lib/i18n/en/outage';
import { consul, viewOnly } from './providers/consul';
import { redis } from './providers/redis';
import { standIn } from './providers/stand-in';
import { zookeeper } from './providers/zookeeper';

export const lost: OutageText = {
  short: '连接已断开',
  title: '本页与 Signalbox 的连接已断开。',
  means: '本页现在对锁一无所知。锁本身不受影响。',
  next: '本页会自动重连。如果没有恢复，请检查 Signalbox 服务器是否在运行，以及这台机器能否访问它。',
};

export const around = {
  gap: '',
  shown: (age: string | null) =>
    `你看到的是最后已知的状态${age === null ? '' : `，已过去 ${age}`}。搜索和查看可用，操作已关闭。`,
  nothingShown: 'Signalbox 尚未读到任何内容。本页会自动填充。',
  partShown: (title: string, age: string | null) =>
    `${title} 的各行显示最后已知的状态${age === null ? '' : `，已过去 ${age}`}。对它们的操作已关闭。`,
  partUnread: (title: string) => `Signalbox 尚未读到 ${title} 的任何内容。读到后会自动显示。`,
  also: (sources: readonly string[]) => `同样不是实时：${sources.join('、')}。`,
  restored: (at: string) => `Consul 在 ${at} 被恢复到较早的状态。程序可能仍在使用在这里已不再持有的锁。`,
  origin: (origin: string) => `Signalbox 读取的是 ${origin}。`,
  more: '含义与后续步骤',
};

const outages: Readonly<Record<OutageCode, OutageText>> = {
  'console-unreachable': lost,
  'agent-gone': {
    short: '没有监听',
    title: '服务器的地址上没有任何监听。',
    means:
      '如果只是这个 agent 或服务器停了，别处的锁照常工作。它的客户端无法续期：它们的会话和租约会到期，在 Consul 上也可能因节点健康检查失败而结束。',
    next: '请重新启动它，或到它的机器上查看退出原因。',
  },
  'agent-unreachable': {
    short: '无法连接服务器',
    title: 'Signalbox 无法连接服务器：地址无法解析，或没有路由。',
    means: `${viewOnly}同一网络里的客户端可能也失去了它。`,
    next: '请检查配置的地址、域名解析以及中间的网络。',
  },
  'no-descriptors': {
    short: '文件描述符用尽',
    title: 'Signalbox 无法打开连接：它的进程已没有可用的文件描述符。',
    means: `原因不在服务器。${viewOnly}`,
    next: '请提高该进程的打开文件数上限（ulimit -n、LimitNOFILE），或找出大量连接的来源。',
  },
  'not-trusted': {
    short: '证书不受信任',
    title: 'Signalbox 不信任服务器的证书：TLS 失败。',
    means: viewOnly,
    next: '请检查 CONSUL_CACERT、CONSUL_CAPATH 或来源的 ca-file 是否指向签发机构，以及证书是否过期。',
  },
  'wrong-name': {
    short: '证书名称不符',
    title: '服务器的证书属于另一个名称：TLS 失败。',
    means: viewOnly,
    next: '请把 CONSUL_TLS_SERVER_NAME 或来源的 server-name 设为证书中的名称，例如 server.dc1.consul，或检查地址。',
  },
  'certificate-wanted': {
    short: '客户端证书被拒绝',
    title: '服务器要求客户端证书，不接受 Signalbox 的任何证书。',
    means: viewOnly,
    next: '请检查 CONSUL_CLIENT_CERT 和 CONSUL_CLIENT_KEY，或来源的 cert-file 和 key-file：两者都已设置、未过期，并由服务器信任的机构签发。',
  },
  'tls-on-one-side': {
    short: '只有一端使用 TLS',
    title: 'Signalbox 无法与服务器通信：只有一端使用 TLS。',
    means: viewOnly,
    next: '请检查 CONSUL_HTTP_ADDR 中的 http:// 或 https://、CONSUL_HTTP_SSL、来源的地址，以及端口是否为 TLS 端口。',
  },
  'agent-hangs': {
    short: '没有应答',
    title: '服务器没有应答：它接受请求，却不回答。',
    means: '服务器已停住或过载，或网络丢包。它的客户端无法续期：它们的会话和租约可能到期。',
    next: '请检查它的机器：进程、负载、磁盘。最近发出的写入，在它恢复后仍可能执行。',
  },
  'connection-broke': {
    short: '连接中断',
    title: '与服务器的连接中断。',
    means: viewOnly,
    next: 'Signalbox 会自动重连。如果反复出现，请检查中间的代理或网络。',
  },
  'connections-capped': {
    short: '连接过多',
    title: 'Consul agent 不再接受来自这个地址的连接。',
    means: `这台机器上的所有程序共用这个上限，包括 consul 命令。${viewOnly}`,
    next: '请找出连接过多的程序，或提高 agent 的 limits.http_max_conns_per_client。在此期间 Signalbox 会降低请求频率。',
  },
  'no-leader': {
    short: 'Consul 没有 leader',
    title: 'Consul 集群没有 leader。',
    means:
      '选出新的 leader 之前，任何锁都无法获取、释放或解除，TTL 到期也不行。持有者保留锁。新的 leader 会让每个 TTL 重新计时。',
    next: '请确认多数服务器在运行并且彼此可达（consul operator raft list-peers）。',
  },
  'token-unknown': {
    short: '令牌未知',
    title: 'Consul 不认识本服务器的令牌：它已被删除，或已过期。',
    means: viewOnly,
    next: '请重新创建令牌，或给 Signalbox 换一个。Consul 认识该令牌后，Signalbox 会恢复。',
  },
  'token-refused': {
    short: '权限不足',
    title: 'Consul 拒绝用本服务器的令牌读取。',
    means: `${viewOnly}Signalbox 不知道该令牌看不到什么。`,
    next: '请授予令牌对所观察前缀的 key:read（agent 要求时还需 key:list），以及 session:read。',
  },
  'second-sign-in': {
    short: '此处不显示',
    title: '这个来源要求令牌。',
    means: 'Signalbox 在此登录的是另一个来源，因此不显示这个来源的任何内容。它的锁不受影响。',
    next: '请在 SIGNALBOX_SOURCES 中用 access= 说明谁可以看到它，或为这个来源单独运行一个控制台。',
  },
  'token-not-of-source': {
    short: '你的令牌不适用',
    title: '这个来源不认识你登录时使用的令牌。',
    means: 'Signalbox 不向你显示它的任何内容。它的锁不受影响。',
    next: '请使用两个来源都认识的令牌登录，例如互联数据中心的全局令牌。',
  },
  'rate-limited': {
    short: '请求被限速',
    title: 'Consul 限制了请求速率（429）。',
    means: '已持有的锁不变，但客户端可能也受到限制。续期算一次写入。没有续期的会话会因 TTL 到期而结束。',
    next: 'Consul 放行之前，Signalbox 会降低请求频率。请找出请求的来源，或提高 limits.request_limits。',
  },
  failing: {
    short: '返回错误',
    title: '服务器或它前面的代理返回了错误。',
    means: `Signalbox 无法读取应答。${viewOnly}`,
    next: '请先在 Signalbox 的日志中查看状态码，再查看服务器和代理的日志。',
  },
  'not-understood': {
    short: '应答无法解读',
    title: 'Signalbox 无法解读服务器地址上的应答。',
    means: `可能是代理的页面，或未知的服务器版本。${viewOnly}`,
    next: '请检查地址：对 Consul 来说，它应是 agent 的 HTTP API。',
  },
  'too-much-to-read': {
    short: '数据过多，无法读取',
    title: '所观察的前缀下的数据多于 Signalbox 的读取上限。',
    means: `服务器的一个应答超过了上限；这个上限防止写键者占满本服务器的内存。${viewOnly}`,
    next: '请检查所观察前缀下过大的值或过多的键。缩小 SIGNALBOX_PREFIXES，或调高 SIGNALBOX_ANSWER_MAX_MB。',
  },
  'too-much-to-show': {
    short: '数据过多，无法显示',
    title: '所观察的前缀下的数据多于 Signalbox 能显示的数量。',
    means: `所有条目合计超过了上限；这个上限防止写键者占满本服务器的内存。${viewOnly}`,
    next: '请检查所观察前缀下过大的 .lock 条目或过多的锁。缩小 SIGNALBOX_PREFIXES，或调高 SIGNALBOX_WORLD_MAX_MB。',
  },
  unknown: {
    short: '数据可能已旧',
    title: '这些数据可能已过时。',
    means: viewOnly,
    next: 'Signalbox 会继续尝试。本页会自动更新。',
  },
  ...consul.outages,
  ...redis.outages,
  ...standIn.outages,
  ...zookeeper.outages,
};

export const outage = { ...around, outages };
