/** One line to ZooKeeper: what is watched over it, and what is done over it. */
import type { Provider } from '@/lib/domain/seam/provider';
import { applyOn, planOn, refusedBy, sawIn } from './actions/actions';
import type { Acting } from './actions/context';
import { createSessionFacts } from './admin/session-facts';
import { createZkClient } from './client/client';
import type { ZkSettings } from './client/settings';
import { createRecogniser } from './recognise/recognise';
import { watchZooKeeper } from './watch/watch';

export function createZooKeeperProvider(settings: ZkSettings, now: () => number): Provider {
  const line = createZkClient({ settings, now, random: Math.random });
  const facts = createSessionFacts(settings, now);
  /** Of the watch that began last: what it has seen is what an action may build on. */
  let recogniser = createRecogniser(settings.id);
  const acting: Acting = {
    client: line,
    facts: facts.current,
    now,
    recogniser: {
      sighting: (prefix) => recogniser.sighting(prefix),
      ownedBy: (session) => recogniser.ownedBy(session),
    },
  };
  return {
    id: settings.id,
    watch: (listener, signal) => {
      recogniser = createRecogniser(settings.id);
      const { recognise } = recogniser;
      return watchZooKeeper({ settings, line, now, facts, recognise }, listener, signal);
    },
    plan: (action, signal) => planOn(acting, action, signal),
    refuses: (action, expect) => refusedBy(acting, action, expect),
    saw: (_action, expect) => sawIn(expect),
    apply: (action, expect, signal) => applyOn(acting, action, expect, signal),
    close: () => void line.close(),
  };
}
