import type { Holder, Lock, Party, Semaphore, Verdict } from './model';

type Recorded = Pick<Semaphore, 'holders' | 'beyond'>;

/** The holders of a lock, one writer or every reader, or all holders that a semaphore lists. */
export function holdersOf(
  of: Pick<Lock, 'kind' | 'holder' | 'readers'> | Pick<Semaphore, 'kind' | 'holders'>,
): readonly Holder[] {
  if (of.kind === 'semaphore') return of.holders;
  const { holder, readers = [] } = of;
  return holder === null ? [] : [holder, ...readers];
}

/** Every verdict but `alive`. The one that an operator acts on first comes first. */
export const doubts: readonly Verdict[] = [
  'suspect',
  'overdue',
  'ghost',
  'immortal',
  'node-bound',
  'unknown',
];

/** The number of holders with this verdict, unlisted ones included. */
export function holdersWith({ holders, beyond }: Recorded, verdict: Verdict): number {
  const listed = holders.filter((holder) => holder.verdict === verdict).length;
  return verdict === 'ghost' || verdict === 'unknown' ? listed + (beyond?.[verdict] ?? 0) : listed;
}

/** The number of recorded holders that are only counted, and not listed. */
export const unlistedHolders = ({ beyond }: Pick<Recorded, 'beyond'>): number =>
  beyond === undefined ? 0 : beyond.ghost + beyond.unknown;

/**
 * True when this semaphore would list this holder if it recorded it. A name that locks nothing and matches no session in
 * view may only be counted, so its absence proves nothing.
 */
export const wouldList = (of: Pick<Recorded, 'beyond'>, { session, evidence }: Party): boolean =>
  unlistedHolders(of) === 0 || session !== null || evidence.some(({ code }) => code === 'holds-entry');

/** True when the reader's rights, or Signalbox's own, hide the holders, and nothing about the record is wrong. */
export const areHoldersHidden = ({ part, recorded, problems }: Semaphore): boolean =>
  part === true && recorded === null && problems.length === 0;

/**
 * The number of holders that the coordination entry names; `null` when unknown. An empty value or an object without
 * holders names none, as Go's client decodes both (`decodeLock` in api/semaphore.go). Unknown fields may name holders in
 * their own way.
 */
export function namedHolders({
  recorded,
  problems,
}: Pick<Semaphore, 'recorded' | 'problems'>): number | null {
  if (recorded !== null) return recorded;
  const has = (code: string) => problems.some((problem) => problem.code === code);
  if (has('duplicate-fields') || has('unknown-fields')) return null;
  return has('empty-value') || has('holders-missing') ? 0 : null;
}
