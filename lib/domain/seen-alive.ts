import type { Evidence, EvidenceCode, Verdict } from './model';

/** What a holder shows. */
interface Signs {
  readonly evidence: readonly Evidence[];
  readonly renewedMs?: number | null;
}

/**
 * Why a holder that was judged likely dead is so no more. `seen`: something was seen of it. `outlived`: it outlived its silence, so
 * it is renewed elsewhere. After the others it may be dead all the same: its evidence cannot be read any more, or a new leader
 * has given its session time.
 */
export type Revival = 'seen' | 'outlived' | 'unfollowed' | 'counted-anew' | 'health-unread' | 'not-seen';

const says = (signs: Signs | null, ...codes: readonly EvidenceCode[]) =>
  signs?.evidence.some(({ code }) => codes.includes(code)) === true;

/** `before`: what it showed under that verdict; `null` where only the verdict is known. */
export function revivalOf(verdict: Verdict, before: Signs | null, now: Signs): Revival {
  switch (verdict) {
    case 'overdue': {
      const [then, last] = [before?.renewedMs ?? null, now.renewedMs ?? null];
      const isRenewed =
        before === null
          ? says(now, 'renewal-observed') && !says(now, 'renewals-not-observed', 'timers-restarted')
          : then !== null && last !== null && last > then;
      if (isRenewed) return 'seen';
      if (says(now, 'renewals-elsewhere')) return 'outlived';
      return says(now, 'renewals-not-observed') ? 'unfollowed' : 'counted-anew';
    }
    case 'suspect': {
      const node = before === null || says(before, 'node-critical', 'node-gone');
      const check = says(before, 'check-critical');
      const isWell =
        (!node || says(now, 'node-passing')) &&
        (!check || says(now, 'checks-passing', 'check-warning')) &&
        !says(now, 'check-unknown');
      return (node || check) && isWell ? 'seen' : 'health-unread';
    }
    case 'ghost':
      return says(now, 'holds-entry') ? 'seen' : 'not-seen';
    default:
      return 'not-seen';
  }
}

/** Whether something was seen of a holder that had this verdict, where nothing more is known of before. */
export const isSeenAlive = (verdict: Verdict, evidence: readonly Evidence[]): boolean =>
  ['seen', 'outlived'].includes(revivalOf(verdict, null, { evidence }));
