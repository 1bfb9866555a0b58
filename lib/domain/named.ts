import type { Semaphore } from './model';

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
