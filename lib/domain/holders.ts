import type { Party, Semaphore, Verdict } from './model';

type Recorded = Pick<Semaphore, 'holders' | 'beyond'>;

/** How many holders have this verdict, those that are not listed among them. */
export function holdersWith({ holders, beyond }: Recorded, verdict: Verdict): number {
  const listed = holders.filter((holder) => holder.verdict === verdict).length;
  return verdict === 'ghost' || verdict === 'unknown' ? listed + (beyond?.[verdict] ?? 0) : listed;
}

/** How many holders are recorded and not listed. */
export const unlistedHolders = ({ beyond }: Pick<Recorded, 'beyond'>): number =>
  beyond === undefined ? 0 : beyond.ghost + beyond.unknown;

/**
 * Whether this semaphore lists this holder if it records it. A name by which nothing is locked, and of no session in view, may be
 * among those that are only counted: that it is not on the list does not say that it has gone, nor that it had yet to come.
 */
export const wouldList = (of: Pick<Recorded, 'beyond'>, { session, evidence }: Party): boolean =>
  unlistedHolders(of) === 0 || session !== null || evidence.some(({ code }) => code === 'holds-entry');
