/** The freshness of the data on a page. */
import type { SourceState } from '@/lib/domain/source-state';
import type { Connection } from './live-view';

/** One state for two links: this browser's, and the server's to Consul. */
export type Freshness = 'live' | 'connecting' | 'lost' | 'catching-up' | 'stale' | 'down';

/** The link to Signalbox comes first: without it, the server's last word on Consul is old as well. */
export function freshnessOf(connection: Connection['state'], source: SourceState['state']): Freshness {
  if (connection === 'lost') return 'lost';
  if (source !== 'live') return source;
  return connection === 'connecting' ? 'connecting' : 'live';
}

/** The page greys old data, and starts no action from it. */
export function isOld(freshness: Freshness): boolean {
  return freshness === 'lost' || freshness === 'stale' || freshness === 'down';
}
