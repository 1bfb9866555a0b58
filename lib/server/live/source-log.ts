/** Logs each change of the source's state and of the agents whose renewals are observed. */
import type { RenewalWatch, SourceState } from '@/lib/domain/source-state';
import type { Log } from '@/lib/server/process/log';

/** A reconnect is not worth a line; its result is. */
const levels: Readonly<Record<RenewalWatch['state'], 'info' | 'warn' | 'debug'>> = {
  observed: 'info',
  off: 'info',
  connecting: 'debug',
  forbidden: 'warn',
  unreachable: 'warn',
};

/** Takes every source. A lasting state is logged once, however often it is retried. */
export function createSourceLog(log: Log): (source: SourceState) => void {
  let freshness = '';
  let restored: number | null = null;
  const agents = new Map<string, RenewalWatch['state']>();
  return ({ state, problem, renewals, restoredAtMs }) => {
    const fields = { state, problem: problem?.code ?? null };
    if (JSON.stringify(fields) !== freshness) {
      freshness = JSON.stringify(fields);
      log[state === 'live' ? 'info' : 'warn'](fields, 'freshness');
    }
    if (restoredAtMs !== restored) {
      restored = restoredAtMs;
      // A restarted watch has seen nothing.
      if (restoredAtMs !== null) log.warn({ restoredAtMs }, 'Consul was put back to an earlier state');
    }
    for (const watch of renewals) {
      if (agents.get(watch.agent) === watch.state) continue;
      agents.set(watch.agent, watch.state);
      log[levels[watch.state]]({ agent: watch.agent, state: watch.state }, 'renewals');
    }
  };
}
