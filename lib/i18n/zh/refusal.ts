/** Chinese: refusals and failures. */

import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import type { WhyFacts } from '@/lib/domain/refusal';
import { formatBytes, formatDuration, unitsZh } from '@/lib/i18n/format/format';
import { consulWhy } from './providers/consul-refusal';
import { redis } from './providers/redis';
import { standIn } from './providers/stand-in';
import { zookeeper } from './providers/zookeeper';

export const why: Sayings<WhyFacts> = {
  'lock-not-in-view': () => 'Signalbox 看不到这个锁。',
  'semaphore-not-in-view': () => 'Signalbox 看不到这个信号量。',
  'session-not-in-view': () => 'Signalbox 看不到这个会话。',
  'name-not-sure': () => '名称中有不是 UTF-8 的字节，可能对应不止一个键。请用服务器自己的工具。',
  'nobody-holds': () => '没有客户端持有这个锁。',
  'holder-unknown': () => 'Signalbox 不知道是否有客户端持有这个锁。',
  'lock-held': () => '有客户端持有这个锁。',
  'not-waiter': ({ sessionId }) => `${shortId(sessionId)} 没有在这里等待。`,
  'limit-not-stored': () => '上限没有存储。可改为归还许可，或在这里配置这个信号量的上限。',
  'not-offered-here': () => 'Signalbox 只显示这种锁或信号量，不以这种方式更改它。',
  'several-hold': ({ holders }) => `有 ${holders} 个持有者。请指明要移除哪一个。`,
  'not-holder': ({ sessionId }) => `${shortId(sessionId)} 没有持有它。`,
  'is-ghost': ({ sessionId }) => `会话 ${shortId(sessionId)} 是幽灵：它在这里什么都不持有。请改用清理。`,
  'no-ghost': () => '记录的持有者中没有幽灵。',
  'not-understood': () => 'Signalbox 无法解读协调条目，因此不写它。',
  'limit-already': ({ limit }) => `上限已经是 ${limit}。`,
  'below-recorded': ({ recorded }) =>
    `已记录 ${recorded} 个持有者。这种客户端只比较是否相等。低于此数，它们会无限制地放行。`,
  'holders-recorded': ({ recorded }) => `已记录 ${recorded} 个持有者。请先清理或驱逐它们。`,
  'sessions-wait': ({ waiters }) => `${waiters} 个会话在等待名额。`,
  'no-lock': ({ key }) => `没有锁 ${key}。`,
  'no-semaphore': ({ prefix }) => `没有信号量 ${prefix}。`,
  'outside-view': ({ name }) => `${name} 不在所观察的前缀之内。`,
  'transaction-refused': () => '服务器拒绝了整个事务。没有写入任何内容。',
  'changed-since': () => '查看之后状态已变化。没有写入任何内容。',
  'done-before': () => '在你的请求之前，这已由其他客户端完成或自行发生。你的请求没有写入任何内容。',
  'not-of-plan': ({ where }) => `此操作的计划不会给出这样的 ${where}。请原样发回计划给出的 expect。`,
  'write-not-seen': () => '写入发出之后连接中断。当前状态中看不到它，很可能没有成功。操作之前请再检查。',
  'state-not-readable': () => '写入发出之后连接中断。Signalbox 现在无法读取状态。操作之前请再检查。',
  'entry-busy': ({ tries }) => `尝试了 ${tries} 次，每次之前条目都变了。没有写入任何内容。`,
  'given-up': () => '操作超时。没有写入任何内容。',
  'request-not-understood': ({ where }) =>
    `Signalbox 无法解读请求${where === null ? '' : `，位置：${where}`}。`,
  'reason-needed': () => '请填写原因：这个操作需要原因。',
  'other-site': () => '本服务器只应答自己的页面，不应答其他网站的。',
  'not-json': () => '请求体不是 JSON。',
  'wrong-type': () => '请求体必须是 application/json。',
  'too-large': ({ bytesMax }) => `请求体最多 ${formatBytes(bytesMax)}。`,
  'address-too-long': ({ lengthMax }) => `地址最多 ${lengthMax} 个字符。`,
  'wrong-method': ({ allowed }) => `这个地址只支持 ${allowed}。`,
  'server-bug': ({ id }) => `内部错误 ${id}，请查看服务器日志。`,
  'actions-off': () => '这里已关闭操作（SIGNALBOX_ACTIONS=off）。',
  'not-this-machine-alone': () =>
    '其他机器可能访问得到 Signalbox，因此它是只读的，除非设置 SIGNALBOX_ACTIONS=on。',
  'this-machine-only': () =>
    '只有本机可以操作，且须以它自己的名字访问。SIGNALBOX_ACTIONS=on 允许其他机器操作。',
  'too-many-pages': () => '目前打开并跟踪本服务器的页面过多。',
  'too-many-pages-of-address': ({ max }) =>
    `你的地址已在此打开 ${max} 个页面，这是一个地址的上限。请关闭一些。`,
  'too-many-pages-of-person': ({ max }) => `你已在此打开 ${max} 个页面，这是一个人的上限。请关闭一些。`,
  'read-only-mode': () => '这里的 Signalbox 是只读的（SIGNALBOX_MODE=read-only）。',
  'sign-in-to-see': () => '请用 Consul 令牌登录，查看它可以读取的内容。',
  'sign-in-to-act': () => '请用 Consul 令牌登录后再操作。',
  'access-unknown': () =>
    'Signalbox 目前无法得知 Consul 是否要求令牌。没有令牌时，它不显示也不写入任何内容。',
  'signed-out-idle': () => '一段时间没有操作，你已退出登录。',
  'signed-out-expired': () => '登录已过期。请重新登录。',
  'signed-out-elsewhere': () => '你已在另一个标签页中退出，或被服务器退出。',
  'somebody-else': () => '本页打开之后，有其他用户在这个浏览器中登录。',
  'sign-in-not-readable': () => '你的登录在这里已失效。请重新登录。',
  'no-sign-in-here': () => '这里不要求令牌。无需登录。',
  'too-many-people': ({ max }) => `这里已有 ${max} 个不同的令牌在使用。请在有空位后再试。`,
  'too-many-actions': ({ max }) => `你有 ${max} 个操作正在进行。请等其中一个结束后再试。`,
  'audit-budget': ({ retryAfterMs }) =>
    `你或你的地址记录的操作过多。请在 ${formatDuration(retryAfterMs, unitsZh)}后再试。`,
  'too-often': ({ retryAfterMs }) => `请求过多。请在 ${formatDuration(retryAfterMs, unitsZh)}后再试。`,
  'other-host': () => '本服务器不以该主机名应答。请使用它自己的地址（SIGNALBOX_URL）或本机的名字。',
  'audit-not-written': () => 'Signalbox 无法写入审计记录，没有开始操作。没有写入任何内容。',
  'audit-in-part': () => '只有能看到全部审计记录的用户才能校验链。你只能看到一部分。',
  'audit-not-read': () => 'Signalbox 目前无法读取审计：本服务器的存储没有应答。',
  'store-not-reached': () => 'Signalbox 目前无法访问本服务器的存储，既不能核对也不能更改共享链接。',
  'embeds-off': () => '这里已关闭嵌入（SIGNALBOX_EMBEDS=off）。',
  'no-embed-keys': () => '本服务器没有用来签发令牌的密钥（SIGNALBOX_EMBED_KEYS）。',
  'not-granted': () => '这个链接不显示任何内容，或已不再显示。',
  'no-grant': () => '你管理的共享链接中没有这一个。',
  'grant-over': () => '这个共享链接已撤销或已结束。请创建新的。',
  'grant-end-past': () => '结束时间已经过去。',
  'grant-beyond-reach': () => '你的 Consul 令牌无权读取将要显示的全部内容。你不能共享它。',
  'grant-reach-unknown': () =>
    'Signalbox 目前无法得知你的 Consul 令牌能否读取将要显示的全部内容。没有共享任何内容。',
  'grant-maker-gone': () => '这个链接已结束：创建者的令牌已不存在。',
  'grant-server-narrow': () =>
    'Signalbox 自己的 Consul 令牌无权读取所观察的全部内容。链接无法按创建者的权限显示。见 docs/operations.md。',
  'too-many-grants': ({ max }) => `你已有 ${max} 个共享链接。请先撤销一个。`,
  'token-needs-grant': () => '这里的 Consul 要求令牌。签名令牌必须指明你的一个共享链接（grant）。',
  'server-answered': ({ status }) => `服务器返回 ${status}，没有说明原因。`,
  'server-not-reached': () => '请求没有到达 Signalbox，或应答丢失。',
  'probed-just-now': () => 'Signalbox 刚刚就此询问过。',
  'second-sign-in': () => '这个来源要求令牌。Signalbox 在此登录的是另一个来源，因此不显示它。',
  'token-not-of-source': () => '这个来源不认识你登录时使用的令牌。',
  'source-read-only': () => '这个控制台只显示这个来源：运维人员没有允许在此对它操作（access=act）。',
  'no-source': ({ source, known }) => `没有名为 ${source} 的来源。已配置：${known}。`,
  'no-probe': () => '这个后端不支持此询问。',
  'metrics-off': () => '这里的指标已关闭。请设置 SIGNALBOX_METRICS_TOKEN，或 SIGNALBOX_METRICS=on。',
  'metrics-token-needed': () => '这个地址需要指标令牌（SIGNALBOX_METRICS_TOKEN），作为 bearer 令牌发送。',
  'no-answer': ({ timeoutMs }) => `服务器在 ${formatDuration(timeoutMs, unitsZh)}内没有应答。`,
  'not-reached': ({ errno }) => `Signalbox 无法连接服务器（${errno}）。`,
  'connection-broke': () => '与服务器的连接中断。',
  'answer-too-large': ({ bytes }) =>
    `服务器的应答超过 ${Math.round(bytes / 1048576)} MiB，即 Signalbox 的读取上限。`,
  'world-too-large': ({ bytes }) =>
    `所有条目合计超过 ${Math.round(bytes / 1048576)} MiB，即 Signalbox 的保存上限。`,
  'answer-not-readable': ({ call }) => `Signalbox 无法读取服务器对 ${call} 的应答。`,
  'token-unknown': () => 'Consul 不认识这个令牌，或不再认识。',
  'token-refused': () => 'Consul 拒绝此令牌进行这次调用。',
  'call-refused': ({ call, status }) => `服务器拒绝了 ${call}（${status}）。`,
  'connections-capped': () => '这个地址到 Consul 的连接已达上限。',
  ...consulWhy,
  ...redis.why,
  ...standIn.why,
  ...zookeeper.why,
};
