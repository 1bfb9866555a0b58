/** One ZooKeeper as a provider: one session for its watches and its actions. */
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
  // Actions use the sightings of the watch, too.
  const recogniser = createRecogniser(settings.id);
  const acting = { client: line, facts: facts.current, now, recogniser, roots: settings.roots };
  let watches = 0;
  return {
    id: settings.id,
    watch: async (listener, signal) => {
      // A recogniser compares with its last view, so that a second watch needs its own.
      const { recognise } = watches === 0 ? recogniser : createRecogniser(settings.id);
      watches += 1;
      try {
        await watchZooKeeper({ settings, line, now, facts, recognise }, listener, signal);
      } finally {
        watches -= 1;
      }
    },
    plan: (action, signal) => planOn(acting, action, signal),
    refuses: (action, expect) => refusedBy(acting, action, expect),
    saw: (_action, expect) => sawIn(expect),
    apply: (action, expect, signal) => applyOn(acting, action, expect, signal),
    close: () => void line.close(),
  };
}
