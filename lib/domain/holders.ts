import type { Holder, Lock, Party, Semaphore, Verdict } from './model';

type Recorded = Pick<Semaphore, 'holders' | 'beyond'>;

/** One writer, or every reader; a semaphore's are all that it lists. */
export function holdersOf(
  of: Pick<Lock, 'kind' | 'holder' | 'readers'> | Pick<Semaphore, 'kind' | 'holders'>,
): readonly Holder[] {
  if (of.kind === 'semaphore') return of.holders;
  const { holder, readers = [] } = of;
  return holder === null ? [] : [holder, ...readers];
}

/** The verdicts in doubt, the one that an operator acts on first at the front. Of a holder that is alive there is nothing to judge. */
export const doubts: readonly Verdict[] = [
  'suspect',
  'overdue',
  'ghost',
  'immortal',
  'node-bound',
  'unknown',
];

/** How many holders have this verdict, unlisted ones included. */
export function holdersWith({ holders, beyond }: Recorded, verdict: Verdict): number {
  const listed = holders.filter((holder) => holder.verdict === verdict).length;
  return verdict === 'ghost' || verdict === 'unknown' ? listed + (beyond?.[verdict] ?? 0) : listed;
}

/** How many recorded holders are not listed. */
export const unlistedHolders = ({ beyond }: Pick<Recorded, 'beyond'>): number =>
  beyond === undefined ? 0 : beyond.ghost + beyond.unknown;

/**
 * Whether this semaphore would list this holder if it recorded it. Names that lock nothing and match no session in view
 * may only be counted, so their absence proves nothing.
 */
export const wouldList = (of: Pick<Recorded, 'beyond'>, { session, evidence }: Party): boolean =>
  unlistedHolders(of) === 0 || session !== null || evidence.some(({ code }) => code === 'holds-entry');

/** Nothing about its record is wrong: a reader's rights, or Signalbox's own, hide who holds a slot. */
export const areHoldersHidden = ({ part, recorded, problems }: Semaphore): boolean =>
  part === true && recorded === null && problems.length === 0;

/**
 * How many holders the coordination entry names; `null` when unknown. An empty value or an object without
 * holders names none: Go's client decodes either so (`decodeLock` in api/semaphore.go). Unknown fields may name
 * holders in their own way.
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
