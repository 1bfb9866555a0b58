/** Chinese, part six: what one works with on every page: search, frozen pages, and what opens the other tools (`tools.ts`). */
import { formatCount } from '@/lib/i18n/format/format';

export const desk = {
  search: {
    opens: (name: string) => `按 Enter 打开 ${name}`,
    matched: {
      holder: '持有者',
      waiter: '等待者',
      session: '会话',
      node: '节点',
      value: '值',
      detail: '详情',
      holds: '持有',
      wants: '等待名额',
      like: '相似',
      mentioned: '提及',
    },
    sort: '最匹配优先',
    unseen: '看不到：',
    noRow: (n: number) => `没有匹配的锁或信号量。有 ${formatCount(n)} 个会话匹配：`,
    allSessions: (n: number) => `在会话列表中查看全部 ${formatCount(n)} 个`,
  },
  palette: {
    open: '命令：前往任何地方（Ctrl K）',
    hint: 'Ctrl K',
  },
  freeze: {
    button: '冻结',
    help: '让本页内容停在此刻（f）',
    resume: '恢复',
    label: '已冻结的页面',
    frozenAt: ['冻结于 ', '。'],
    changed: (n: number) =>
      n === 0 ? '此后没有变化。' : `此后有 ${formatCount(n)} 个锁、信号量或会话发生了变化。`,
    fromLink: [
      '这个链接冻结于 ',
      '。那一刻的内容无法显示：Consul 和本页都没有保存。现在看到的是 ',
      ' 打开链接时读到的内容，并保持不变。',
    ],
  },
  views: {
    button: '视图',
  },
  group: {
    needs: (n: number) => `${n} 项需人工处理`,
    rows: (n: number) => `${n} 行`,
  },
};
