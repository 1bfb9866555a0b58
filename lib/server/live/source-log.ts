/** Logs each change of the source's state and of the agents whose renewals are observed. */
import type { SourceId } from '@/lib/domain/source';
import { partsOf, type RenewalWatch, type SourceState } from '@/lib/domain/source-state';
import type { Log } from '@/lib/server/process/log';

/** A reconnect is not worth a line; its result is. */
const levels: Readonly<Record<RenewalWatch['state'], 'info' | 'warn' | 'debug'>> = {
  observed: 'info',
  off: 'info',
  connecting: 'debug',
  forbidden: 'warn',
  unreachable: 'warn',
  'no-servers': 'warn',
};

/** The state of one source that the log has last. */
interface Logged {
  freshness: string;
  restoredAtMs: number | null;
}

/** Takes every state. A lasting state of a source is logged once, however often it is retried. */
export function createSourceLog(log: Log): (state: SourceState) => void {
  const logged = new Map<SourceId, Logged>();
  const agents = new Map<string, RenewalWatch['state']>();
  return (of) => {
    const parts = partsOf(of);
    for (const { id, state, problem, renewals, restoredAtMs } of parts) {
      const last = logged.get(id) ?? { freshness: '', restoredAtMs: null };
      logged.set(id, last);
      const source = parts.length > 1 ? { source: id } : {};
      const fields = { ...source, state, problem: problem?.code ?? null };
      if (JSON.stringify(fields) !== last.freshness) {
        last.freshness = JSON.stringify(fields);
        log[state === 'live' ? 'info' : 'warn'](fields, 'freshness');
      }
      if (restoredAtMs !== last.restoredAtMs) {
        last.restoredAtMs = restoredAtMs;
        // A restarted watch has seen nothing.
        if (restoredAtMs !== null)
          log.warn({ ...source, restoredAtMs }, 'the source was put back to an earlier state');
      }
      for (const watch of renewals) {
        if (agents.get(watch.agent) === watch.state) continue;
        agents.set(watch.agent, watch.state);
        log[levels[watch.state]]({ agent: watch.agent, state: watch.state }, 'renewals');
      }
    }
  };
}
