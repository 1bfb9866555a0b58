/** One look at everything in view: what the sightings are made from. */

import type { Row, SessionRow } from '@/lib/providers/consul/client/wire';
import type { Ends } from './ends';
import type { WatchHistory } from './server-history';

export interface Look {
  /** Sorted by key, in code unit order. */
  readonly rows: readonly Row[];
  /** Of the lists that the rows were read from: the Raft entries that last changed something in them. */
  readonly rowsIndexes: readonly (string | null)[];
  /** `null`: the session list could not be read; then no lock-delay can be derived. */
  readonly sessions: readonly SessionRow[] | null;
  /** Index of the session list: the Raft entry that last created or ended a session. `null`: not known. */
  readonly sessionsIndex: string | null;
  readonly nowMs: number;
  /** The first look, or the first one after an outage: what is new may have been there for longer. */
  readonly afterGap: boolean;
  /** What another watch has seen before, of what was there already at this look; `null` or absent: nothing. */
  readonly elder?: WatchHistory | null;
  /** The sessions that this process has ended itself. */
  readonly ends?: Pick<Ends, 'has'>;
}
