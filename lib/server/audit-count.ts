/** The audit, with its rows counted for Prometheus: those that were written, and those that could not be. */
import type { Audit } from './audit';
import type { Metrics } from './metrics';

export function counted(audit: Audit, metrics: Pick<Metrics, 'audited' | 'auditFailed'>): Audit {
  return {
    ...audit,
    append: async (entry) => {
      try {
        const row = await audit.append(entry);
        metrics.audited(entry.kind);
        return row;
      } catch (error) {
        metrics.auditFailed();
        throw error;
      }
    },
  };
}
