/** Chinese: what Consul says in its own words. */
import type { ConsulLockLayout, ConsulSemaphoreLayout, consulOutages } from '@/lib/domain/codes/consul';

const goLibrary = 'Go 客户端库只要还在运行，几毫秒内就会得知。之后怎么做由它的程序决定。';
const guide = '该指南把客户端留给读者实现。Signalbox 无法得知它的客户端会察觉什么。';

/** An outage of Signalbox's own way to a server. */
export const viewOnly = '这本身不影响持有者和等待者，只是这个视图看不到。';

/** Every part is complete, or does not compile. */
export const consul = {
  layouts: {
    'go-lock': { name: 'Go api.Lock', caution: null, notices: goLibrary },
    'consul-lock': {
      name: 'consul lock',
      caution: 'consul lock 如果仍在运行，失去锁之后给它的命令 5\u00a0秒时间结束。',
      notices: 'consul lock 如果仍在运行，几毫秒内就会得知：它的命令收到 SIGTERM，5\u00a0秒后收到 SIGKILL。',
    },
    terraform: {
      name: 'Terraform 状态锁',
      caution: '仍在运行的 Terraform 会用新会话重新获取锁。它的锁延迟是 5\u00a0秒，锁信息会留下。',
      notices: '仍在运行的 Terraform 会用新会话重新获取锁并继续。无论如何，锁信息都会留下。',
    },
    vault: {
      name: 'Vault HA 锁',
      caution: '释放会让活动的 Vault 退位，由备用节点接管。',
      notices: '活动的 Vault 退位，由备用节点接管。',
    },
    'patroni-leader': {
      name: 'Patroni 主库锁',
      caution: '销毁这个会话会立即触发 PostgreSQL 故障转移。主库键和成员键一起消失，锁延迟为 1 毫秒。',
      notices: '其他节点上的 Patroni 会立即开始 PostgreSQL 故障转移。旧主库在下次检查时退位。',
      alone: {
        caution:
          '销毁这个会话会同时删除主库键和成员键，锁延迟为 1 毫秒。可见范围内没有其他 Patroni 成员可以接管。',
        notices: '可见范围内没有其他 Patroni 成员可以接管。仍在运行的主库可能用新会话重新获取锁。',
      },
    },
    'patroni-member': {
      name: 'Patroni 成员',
      caution: '这个键属于一个 Patroni 成员；同一个会话可能还持有主库锁。',
      notices: 'Patroni 视这个成员为已离开，直到它在下一轮重新写入自己的键。',
    },
    'consul-template': { name: 'consul-template 去重', caution: null, notices: goLibrary },
    'consul-esm': { name: 'consul-esm leader', caution: null, notices: goLibrary },
    'java-lock': {
      name: 'Java 文章中的锁',
      caution: '它的客户端从不检查自己是否仍然持有：释放之后持有者会继续工作。',
      notices: '它的客户端从不检查自己是否仍然持有：进程会毫不知情地继续工作。',
    },
    plain: {
      name: '普通 acquire',
      caution: null,
      notices: '进程能否察觉只取决于它的程序；没有任何机制通知它。',
    },
    'go-semaphore': {
      name: 'Go api.Semaphore（映射）',
      caution: null,
      notices:
        '仍在运行的 Go 客户端几毫秒内就会得知。consul lock 随后给它的命令发送 SIGTERM，5\u00a0秒后发送 SIGKILL：在此之前两者同时运行。',
    },
    'guide-list': { name: 'HashiCorp 指南（列表）', caution: guide, notices: guide },
    'java-semaphore': {
      name: 'Java 文章中的信号量（列表）',
      caution: '它的客户端从不检查自己的名额：被驱逐的持有者会继续工作。',
      notices: '它的客户端从不检查自己的名额：被驱逐的持有者会毫不知情地继续工作。',
    },
    unreadable: {
      name: '无法解读的 .lock',
      caution: 'Signalbox 只写回自己理解的形式，因此不写这一个。',
      notices: 'Signalbox 无法解读条目，也无法得知它的客户端会察觉什么。',
    },
  } satisfies Record<ConsulLockLayout | ConsulSemaphoreLayout, unknown>,
  outages: {
    'connections-not-taken': {
      short: '连接被拒绝',
      title: 'Consul 立即关闭新连接，没有应答。',
      means: `agent 对同一地址的连接数达到上限时会这样（默认 200；Consul 1.8 及以前不作说明）。有故障的代理或 agent 也会这样：Signalbox 无法区分。${viewOnly}`,
      next: '请数一数这台机器到 agent 端口的连接。关闭一些，或提高 limits.http_max_conns_per_client。',
    },
    'no-server': {
      short: '没有已知的 Consul 服务器',
      title: 'Consul agent 失去了所有服务器。',
      means: 'agent 无法转发任何请求。如果服务器在别处运行，那里的锁照常工作。这个 agent 的客户端无法续期。',
      next: '请检查这个 agent 与服务器之间的网络（consul members）。',
    },
    'leader-changing': {
      short: 'leader 正在更换',
      title: 'Consul 在请求过程中失去了 leader。',
      means: '很可能正在选举。几秒之内无法获取或释放任何锁。新的 leader 会让每个 TTL 重新计时。',
      next: '请等几秒。如果仍未恢复，请查看服务器的日志。',
    },
    'datacenter-away': {
      short: '数据中心无法到达',
      title: 'Consul agent 有应答，但无法到达这个来源的数据中心。',
      means: `可能是该数据中心停机，也可能只是两者之间的链路中断。${viewOnly}`,
      next: '请检查数据中心之间的链路（consul members -wan），以及 SIGNALBOX_SOURCES 中 dc= 后面的名字。',
    },
    'old-copy': {
      short: '旧副本',
      title: 'Consul 没有 leader。你看到的是一台服务器自己的副本。',
      means: '副本可能落后于集群。有 leader 之前，无法获取或释放任何锁。持有者保留锁。',
      next: '请确认多数服务器在运行。不要根据这个视图判断当前持有者。',
    },
    'leader-rate-limited': {
      short: 'leader 限速',
      title: 'Consul 的 leader 限制了请求速率（503）。',
      means:
        '已持有的锁不变。只有 leader 能应答，换别的服务器也没有用。Consul 也可能拒绝客户端的续期和获取。',
      next: 'Consul 放行之前，Signalbox 会降低请求频率。请找出写入的来源，或提高 limits.request_limits。',
    },
    'no-room': {
      short: '没有空位',
      title: 'Signalbox 没有空位来跟踪此令牌的权限。',
      means: 'Signalbox 只能跟踪有限数量的不同权限的令牌。你的令牌现在看不到任何内容。锁不受影响。',
      next: 'Signalbox 每 2.5 秒重试一次。与能看到页面的同事策略相同的令牌可以立即使用。',
    },
  } satisfies Record<(typeof consulOutages)[number], unknown>,
};
