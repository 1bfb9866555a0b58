/** Chinese: each client type's name, peculiarities, and how fast its clients notice a loss. */
import type { Layout } from '@/lib/domain/layout';
import type { LayoutText } from '@/lib/i18n/en/layout';
import { redis } from './providers/redis';
import { standIn } from './providers/stand-in';
import { zookeeper } from './providers/zookeeper';

const goLibrary = 'Go 客户端库只要还在运行，几毫秒内就会得知。之后怎么做由它的程序决定。';
const neverLooks = '它的客户端从不检查自己是否仍然持有：进程会毫不知情地继续工作。';

export const layouts: Readonly<Record<Layout, LayoutText>> = {
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
    notices: neverLooks,
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
  'guide-list': {
    name: 'HashiCorp 指南（列表）',
    caution: '该指南把客户端留给读者实现。Signalbox 无法得知它的客户端会察觉什么。',
    notices: '该指南把客户端留给读者实现。Signalbox 无法得知它的客户端会察觉什么。',
  },
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
  ...redis.layouts,
  ...standIn.layouts,
  ...zookeeper.layouts,
};
