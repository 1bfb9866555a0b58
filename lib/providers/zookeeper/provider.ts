/** One line to ZooKeeper, what is watched over it, and what is done over it. */
import type { Provider } from '@/lib/domain/seam/provider';
import { applyOn, planOn, refusedBy, sawIn } from './actions/actions';
import { createSessionFacts } from './admin/session-facts';
import { createZkClient } from './client/client';
import type { ZkSettings } from './client/settings';
import { createRecogniser } from './recognise/recognise';
import { watchZooKeeper } from './watch/watch';

export function createZooKeeperProvider(settings: ZkSettings, now: () => number): Provider {
  const line = createZkClient({ settings, now, random: Math.random });
  const facts = createSessionFacts(settings, now);
  // Actions go by what the watch has seen, too.
  const recogniser = createRecogniser(settings.id);
  const acting = { client: line, facts: facts.current, now, recogniser };
  return {
    id: settings.id,
    watch: (listener, signal) =>
      watchZooKeeper(
        {
          settings,
          line,
          now,
          facts,
          recognise: recogniser.recognise,
        },
        listener,
        signal,
      ),
    plan: (action, signal) => planOn(acting, action, signal),
    refuses: (action, expect) => refusedBy(acting, action, expect),
    saw: (_action, expect) => sawIn(expect),
    apply: (action, expect, signal) => applyOn(acting, action, expect, signal),
    close: () => void line.close(),
  };
}
