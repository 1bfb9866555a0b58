/** English: the lists of sessions. */
import { formatCount } from '@/lib/i18n/format/format';
import { unnamed } from './board';

export const sessions = {
  title: 'Sessions',
  /** `part`: there may be more, and more that they hold. */
  sentence: (all: number, holding: number, waiting: number, idle: number, part = false) =>
    `${formatCount(all)} ${all === 1 ? 'session' : 'sessions'} ${part ? 'in view' : 'on all nodes'}: ${formatCount(holding)} ${
      holding === 1 ? 'holds' : 'hold'
    } something, ${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a slot, ${formatCount(idle)} ${
      idle === 1 ? 'holds nothing and wants' : 'hold nothing and want'
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
    behavior: 'at its end',
    delay: 'lock-delay',
    holds: 'holds',
    wants: 'wants a slot of',
    since: 'seen',
  },
  unnamed,
  noTtl: 'none',
  behaviors: { release: 'keys released', delete: 'keys deleted' },
  nodeStatus: {
    passing: 'passing',
    critical: 'critical',
    gone: 'left the catalog',
    unknown: 'health not known',
  },
  checkStatus: { passing: 'passing', warning: 'warning', critical: 'critical', unknown: 'not known' },
  table: 'Sessions on all nodes',
  empty: {
    none: 'No session is in view.',
    noneText: 'Every lock and every slot needs a session. One appears here as soon as a client creates it.',
  },
};
