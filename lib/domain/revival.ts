import type { Evidence, EvidenceCode, Verdict } from './model';

interface Signs {
  readonly evidence: readonly Evidence[];
  readonly renewedMs?: number | null;
}

/**
 * The reason why a holder no longer counts as likely dead. `seen`: it showed a sign of life. `outlived`: it outlived
 * its silence, so it renews elsewhere. After any other it may still be dead: its evidence is unreadable, or a new
 * leader gave its session more time.
 */
export type Revival = 'seen' | 'outlived' | 'unfollowed' | 'counted-anew' | 'health-unread' | 'not-seen';

const hasEvidence = (signs: Signs | null, ...codes: readonly EvidenceCode[]) =>
  signs?.evidence.some(({ code }) => codes.includes(code)) === true;

/** `verdict`: the earlier one. `before`: `null` where nothing else of the earlier state is known. */
export function revivalOf(verdict: Verdict, before: Signs | null, now: Signs): Revival {
  switch (verdict) {
    case 'overdue': {
      const [then, last] = [before?.renewedMs ?? null, now.renewedMs ?? null];
      const isRenewed =
        before === null
          ? hasEvidence(now, 'renewal-observed') &&
            !hasEvidence(now, 'renewals-not-observed', 'timers-restarted')
          : then !== null && last !== null && last > then;
      if (isRenewed) return 'seen';
      if (hasEvidence(now, 'renewals-elsewhere')) return 'outlived';
      return hasEvidence(now, 'renewals-not-observed') ? 'unfollowed' : 'counted-anew';
    }
    case 'suspect': {
      const node = before === null || hasEvidence(before, 'node-critical', 'node-gone');
      const check = hasEvidence(before, 'check-critical');
      const isWell =
        (!node || hasEvidence(now, 'node-passing')) &&
        (!check || hasEvidence(now, 'checks-passing', 'check-warning')) &&
        !hasEvidence(now, 'check-unknown');
      return (node || check) && isWell ? 'seen' : 'health-unread';
    }
    case 'ghost':
      return hasEvidence(now, 'holds-entry') ? 'seen' : 'not-seen';
    default:
      return 'not-seen';
  }
}

/** True when a holder with this earlier verdict has shown that it lives. Nothing else of the earlier state is known. */
export const isSeenAlive = (verdict: Verdict, evidence: readonly Evidence[]): boolean =>
  ['seen', 'outlived'].includes(revivalOf(verdict, null, { evidence }));
