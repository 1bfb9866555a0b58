/** A running watch for tests: every world and every state that it has said. */

import type { Lock, World } from '@/lib/domain/model';
import type { SourceState } from '@/lib/domain/source-state';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { type Clock, systemClock } from '@/lib/providers/consul/client/clock';
import type { RenewalAgents } from '@/lib/providers/consul/client/settings';
import type { SparePolls } from '@/lib/providers/consul/client/spare-polls';
import { recognise } from '@/lib/providers/consul/recognise/recognise';
import type { ConsulView } from '@/lib/providers/consul/recognise/view';
import { type WatchOptions, watchConsul } from '@/lib/providers/consul/watch/watch';
import { until } from '@/test/support/until';

export interface Watching {
  readonly worlds: readonly World[];
  readonly views: readonly ConsulView[];
  readonly sources: readonly SourceState[];
  world(): World;
  state(): SourceState['state'] | undefined;
  lock(key: string): Lock | undefined;
  /** The number of gaps after the first view, across which nothing counts as seen to happen. */
  gaps(): number;
  /** Resolves when the watch is in this state. */
  reaches(state: SourceState['state']): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a watch, with the real clock unless given. Stop it before the agent. */
export function startWatching(
  client: ConsulClient,
  prefixes: readonly string[] = [''],
  renewalAgents: RenewalAgents = [],
  spare?: SparePolls,
  clock: Clock = systemClock,
  more: Pick<WatchOptions, 'elder' | 'elderOf'> = {},
): Watching {
  const worlds: World[] = [];
  const views: ConsulView[] = [];
  const sources: SourceState[] = [];
  const end = new AbortController();
  const ended = watchConsul(
    {
      client,
      prefixes,
      renewalAgents,
      ...(spare === undefined ? {} : { spare }),
      clock,
      ...more,
      onView: (view) => {
        views.push(view);
        worlds.push(recognise(view));
      },
      onSource: (source) => sources.push(source),
    },
    end.signal,
  );
  const world = () => worlds.at(-1) ?? { locks: [], semaphores: [], sessions: [] };
  const state = () => sources.at(-1)?.state;
  return {
    worlds,
    views,
    sources,
    world,
    state,
    lock: (key) => world().locks.find((lock) => lock.key === key),
    gaps: () => new Set(sources.flatMap(({ endsSeenSinceMs }) => endsSeenSinceMs ?? [])).size - 1,
    reaches: async (wanted) => {
      await until(() => state() === wanted, { what: `the state ${wanted}` });
    },
    stop: async () => {
      end.abort();
      await ended;
    },
  };
}
