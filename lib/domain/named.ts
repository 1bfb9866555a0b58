import type { Semaphore } from './model';

/**
 * How many holders the coordination entry names; `null` when that cannot be told. Nothing at all names nobody for certain, and
 * so does an object without holders: Go's client decodes either so (`decodeLock` in api/semaphore.go). With fields that nobody
 * knows it may name them in its own words.
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
