import type { Evidence, EvidenceCode, Verdict } from './model';

/**
 * Whether these facts say of one that was judged likely dead, and is so no more, that something was seen of it. Else it is only
 * that what spoke against it cannot be read any more, or that a new leader has given its session time: neither makes it alive.
 */
export function isSeenAlive(before: Verdict, evidence: readonly Evidence[]): boolean {
  const says = (...codes: readonly EvidenceCode[]) => evidence.some(({ code }) => codes.includes(code));
  switch (before) {
    case 'overdue':
      return (
        says('renewals-elsewhere') ||
        (says('renewal-observed') && !says('renewals-not-observed', 'timers-restarted'))
      );
    case 'suspect':
      return says('node-passing') && !says('check-unknown');
    case 'ghost':
      return says('holds-entry');
    default:
      return false;
  }
}
