/** How old what a page shows may be: one state out of the two links that it came by. */
import type { Source } from '@/lib/domain/source';
import type { Connection } from './live-view';

/** One state out of the two ways in which data can be old: this browser's link, and the server's link to Consul. */
export type Freshness = 'live' | 'connecting' | 'lost' | 'catching-up' | 'stale' | 'down';

/** The link to Signalbox comes first: without it, what the server last said about Consul is old as well. */
export function freshnessOf(connection: Connection['state'], source: Source['state']): Freshness {
  if (connection === 'lost') return 'lost';
  if (source !== 'live') return source;
  return connection === 'connecting' ? 'connecting' : 'live';
}

/** True when what is shown may no longer be so: it is greyed, and no action starts from it. */
export function isOld(freshness: Freshness): boolean {
  return freshness === 'lost' || freshness === 'stale' || freshness === 'down';
}
