/** One look at everything in view, the input of the sightings. */

import type { SessionRow } from '@/lib/providers/consul/client/wire';
import type { ListedRows } from '@/lib/providers/consul/rows/changed-rows';
import type { WatchHistory } from './server-history';
import type { Ends } from './sessions-ended-here';

/** Rows are sorted by key, in code unit order. */
export interface Look extends ListedRows {
  /** The Raft entries that last changed the lists of rows. */
  readonly rowsIndexes: readonly (string | null)[];
  /** `null`: unreadable, so no lock-delay can be derived. */
  readonly sessions: readonly SessionRow[] | null;
  /** The Raft entry that last created or ended a session; `null`: unknown. */
  readonly sessionsIndex: string | null;
  readonly nowMs: number;
  /** The first look, or the first after an outage: new entries may be older. */
  readonly afterGap: boolean;
  /** Another watch's earlier sightings of entries that existed at this look. */
  readonly elder?: WatchHistory | null;
  readonly ends?: Pick<Ends, 'has'>;
}
