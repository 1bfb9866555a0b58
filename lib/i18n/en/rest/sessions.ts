import { unnamed } from '@/lib/i18n/en/board';
import { formatCount } from '@/lib/i18n/format/format';

export const sessions = {
  title: 'Sessions',
  /** `part`: there may be more, and more that they hold. */
  sentence: (all: number, holding: number, waiting: number, idle: number, part = false) =>
    `${formatCount(all)} ${all === 1 ? 'session' : 'sessions'} ${part ? 'in view' : 'on all nodes'}: ${formatCount(holding)} ${
      holding === 1 ? 'holds' : 'hold'
    } something, ${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a slot, ${formatCount(idle)} ${
      idle === 1 ? 'holds nothing and waits for' : 'hold nothing and wait for'
    } no slot${part ? ' in view' : ''}.`,
  show: {
    all: 'All',
    holding: 'Holding',
    wanting: 'Waiting for a slot',
    idle: 'No lock, no slot',
    endless: 'No TTL',
  },
  columns: {
    session: 'session',
    node: 'node',
    ttl: 'TTL',
    behavior: 'when it ends',
    delay: 'lock-delay',
    holds: 'holds',
    wants: 'waits for a slot of',
    since: 'seen',
  },
  unnamed,
  noTtl: 'none',
  behaviors: { release: 'keys released', delete: 'keys deleted' },
  nodeStatus: {
    passing: 'passing',
    critical: 'critical',
    gone: 'left the catalog',
    unknown: 'health unknown',
  },
  checkStatus: { passing: 'passing', warning: 'warning', critical: 'critical', unknown: 'unknown' },
  table: 'Sessions on all nodes',
  empty: {
    none: 'No sessions in view.',
    noneText: 'Every lock and slot needs a session. A new session appears here at once.',
  },
};
