import { formatCount } from '@/lib/i18n/format/format';
import { unnamed } from '@/lib/i18n/zh/board';

export const sessions = {
  title: '会话',
  sentence: (all: number, holding: number, waiting: number, idle: number, part = false) =>
    `${part ? '可见范围内有' : '所有节点共'} ${formatCount(all)} 个会话：${formatCount(holding)} 个有所持有，${formatCount(waiting)} 个在等待名额，${formatCount(idle)} 个${part ? '在可见范围内' : ''}既不持有也不等待名额。`,
  show: {
    all: '全部',
    holding: '有所持有',
    wanting: '等待名额',
    idle: '无锁无名额',
    endless: '无 TTL',
  },
  columns: {
    session: '会话',
    node: '节点',
    ttl: 'TTL',
    behavior: '结束时',
    delay: '锁延迟',
    holds: '持有',
    wants: '等待名额',
    since: '出现',
  },
  unnamed,
  noTtl: '无',
  behaviors: { release: '释放键', delete: '删除键' },
  nodeStatus: {
    passing: '通过',
    critical: '严重',
    gone: '已离开目录',
    unknown: '健康状况未知',
  },
  checkStatus: { passing: '通过', warning: '警告', critical: '严重', unknown: '未知' },
  table: '所有节点的会话',
  empty: {
    none: '可见范围内没有会话。',
    noneText: '每个锁和名额都需要会话。新会话会立刻出现在这里。',
  },
};
