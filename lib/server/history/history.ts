/** The history of this server: its record and its keeper. */
import type { HistoryRow } from '@/lib/domain/history/episode';
import type { Audit } from '@/lib/server/audit/audit';
import type { Hub } from '@/lib/server/live/hub';
import type { Log } from '@/lib/server/process/log';
import type { Store } from '@/lib/server/store/store';
import { type ChangeQuery, createChangeQuery } from './change-query';
import { type Columns, createColumns } from './columns';
import { createHistoryLog } from './history-log';
import { createHistoryQuery, type HistoryQuery } from './history-query';
import { createHistoryScan, type HistoryScan } from './history-scan';
import { createKeeper, type Recording } from './keeper';
import { createPastQuery, type PastQuery } from './past-query';
import { createRetention } from './retention';
import { createUsualQuery, type UsualQuery } from './usual-query';

export interface HistoryBook
  extends HistoryQuery,
    HistoryScan,
    PastQuery,
    ChangeQuery,
    UsualQuery,
    Columns,
    Recording {
  close(): Promise<void>;
}

export interface HistoryOptions {
  readonly on: boolean;
  readonly days: number;
  readonly bytes: number;
  readonly store: Store;
  /** The name of this process among the replicas. */
  readonly writer: string;
  readonly hub: Pick<Hub, 'subscribe' | 'apart'>;
  readonly audit: Pick<Audit, 'read'>;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn' | 'info'>;
  readonly wrote?: (rows: readonly HistoryRow[]) => void;
}

export function openHistory({
  on,
  days,
  bytes,
  store,
  writer,
  hub,
  audit,
  now,
  log,
  wrote,
}: HistoryOptions): HistoryBook {
  const read = createHistoryQuery({ store, days, now });
  const query = {
    ...read,
    ...createHistoryScan({ store }),
    ...createPastQuery(store),
    ...createChangeQuery(store),
    ...createUsualQuery({ store, now }),
    ...createColumns({ store, since: read.since, now }),
  };
  if (!on) return { ...query, state: () => null, close: async () => {} };
  const pen = createHistoryLog({ store, writer, now });
  const keeper = createKeeper({
    hub,
    log: pen,
    retention: createRetention({ log: pen, days, bytes, now }),
    audit,
    now,
    onProblem: log,
    ...(wrote === undefined ? {} : { wrote }),
  });
  return { ...query, state: keeper.state, close: keeper.close };
}
