import type { Semaphore, Verdict } from './model';

type Recorded = Pick<Semaphore, 'holders' | 'beyond'>;

/** How many holders have this verdict, those that are not listed among them. */
export function holdersWith({ holders, beyond }: Recorded, verdict: Verdict): number {
  const listed = holders.filter((holder) => holder.verdict === verdict).length;
  return verdict === 'ghost' || verdict === 'unknown' ? listed + (beyond?.[verdict] ?? 0) : listed;
}

/** How many holders are recorded and not listed. */
export const unlistedHolders = ({ beyond }: Pick<Recorded, 'beyond'>): number =>
  beyond === undefined ? 0 : beyond.ghost + beyond.unknown;
