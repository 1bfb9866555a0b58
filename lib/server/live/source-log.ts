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
  /** Of each agent that it lists. */
  readonly agents: Map<string, RenewalWatch['state']>;
}

/** Takes every state. A lasting state of a source is logged once, however often it is retried. */
export function createSourceLog(log: Log): (state: SourceState) => void {
  const logged = new Map<SourceId, Logged>();
  return (of) => {
    const parts = partsOf(of);
    for (const { id, state, problem, renewals, restoredAtMs } of parts) {
      const last = logged.get(id) ?? { freshness: '', restoredAtMs: null, agents: new Map() };
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
      for (const { agent, state: now } of renewals) {
        if (last.agents.get(agent) === now) continue;
        last.agents.set(agent, now);
        log[levels[now]]({ ...source, agent, state: now }, 'renewals');
      }
      // A server that has left. One that comes back later is news.
      for (const agent of [...last.agents.keys()].filter((one) => !renewals.some((of) => of.agent === one))) {
        last.agents.delete(agent);
        log.info({ ...source, agent, state: 'gone' }, 'renewals');
      }
    }
  };
}
