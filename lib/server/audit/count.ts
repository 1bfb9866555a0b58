import type { Metrics } from '@/lib/server/metrics/metrics';
import type { AuditBook } from './audit-log';

export function counted(audit: AuditBook, metrics: Pick<Metrics, 'audited' | 'auditFailed'>): AuditBook {
  return {
    ...audit,
    append: async (entry, since) => {
      try {
        const row = await audit.append(entry, since);
        metrics.audited(entry.kind);
        return row;
      } catch (error) {
        metrics.auditFailed();
        throw error;
      }
    },
    closeOpen: async (ageMs, underWay) => {
      const closed = await audit.closeOpen(ageMs, underWay);
      metrics.audited('unknown', closed);
      return closed;
    },
  };
}
