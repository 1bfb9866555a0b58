/** One line to ZooKeeper, what is watched over it, and what is done over it. */
import { sawNothing } from '@/lib/domain/actions/expect';
import type { Problem } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { createSessionFacts } from './admin/session-facts';
import { createZkClient } from './client/client';
import type { ZkSettings } from './client/settings';
import { watchZooKeeper } from './watch/watch';

const notOffered: Problem = { code: 'invalid', why: { code: 'not-offered', facts: {} } };

export function createZooKeeperProvider(settings: ZkSettings, now: () => number): Provider {
  const line = createZkClient({ settings, now, random: Math.random });
  const facts = createSessionFacts(settings, now);
  return {
    id: settings.id,
    watch: (listener, signal) =>
      watchZooKeeper(
        {
          settings,
          line,
          now,
          facts,
          recognise: () => ({ world: { locks: [], semaphores: [], sessions: [] }, againMs: null }),
        },
        listener,
        signal,
      ),
    plan: async () => notOffered,
    saw: () => sawNothing,
    apply: async () => notOffered,
    close: () => void line.close(),
  };
}
