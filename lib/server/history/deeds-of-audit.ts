/** Completed actions in the audit, including those of other replicas. */
import type { AuditRow } from '@/lib/domain/actions/audit';
import { whomIn } from '@/lib/domain/actions/whom';
import type { Deed } from '@/lib/domain/history/deeds';
import { identityName } from '@/lib/domain/identity';
import type { Audit } from '@/lib/server/audit/audit';

const batchRows = 100;
/** Most intents without an outcome. An action takes less than a minute. */
const openMax = 1_000;

function sessionsOf({ detail }: AuditRow): readonly string[] {
  const { saw, session } = detail;
  const seen = typeof saw === 'object' && saw !== null && 'sessions' in saw ? saw.sessions : [];
  const all = [...(Array.isArray(seen) ? seen : []), session, ...whomIn(detail).map((whom) => whom.session)];
  return [...new Set(all.filter((one): one is string => typeof one === 'string'))];
}

/**
 * Reads new rows at each call. The first call also reads the last rows before it, because an earlier process may have
 * done an action.
 */
export function createDeeds(audit: Pick<Audit, 'read'>): () => Promise<readonly Deed[]> {
  let seq: number | null = null;
  const open = new Map<string, AuditRow>();
  return async () => {
    if (seq === null) {
      const [newest] = await audit.read({ below: null, limit: 1 });
      seq = Math.max(0, (newest?.seq ?? 0) - batchRows);
    }
    const after = seq;
    const rows = (await audit.read({ below: after + batchRows + 1, limit: batchRows }))
      .filter((row) => row.seq > after)
      .reverse();
    const deeds: Deed[] = [];
    for (const row of rows) {
      seq = row.seq;
      if (row.kind === 'intent') {
        if (open.size >= openMax) open.delete(open.keys().next().value ?? '');
        open.set(row.thread, row);
        continue;
      }
      const intent = open.get(row.thread);
      if (intent === undefined || (row.kind !== 'outcome' && row.kind !== 'unknown')) continue;
      open.delete(row.thread);
      const { outcome } = row.detail;
      if (outcome !== 'done' && outcome !== 'partly') continue;
      deeds.push({
        seq: intent.seq,
        by: identityName(intent.who),
        type: intent.action ?? '',
        reason: intent.reason === '' ? null : intent.reason,
        beganMs: intent.atMs,
        atMs: row.atMs,
        subjects: intent.subjects,
        sessions: sessionsOf(intent),
      });
    }
    return deeds;
  };
}
