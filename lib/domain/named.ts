import type { Semaphore } from './model';

/**
 * How many holders the coordination entry names; `null`: unknown, as unknown fields may name holders. An empty value or
 * an object without holders names none (`decodeLock` in api/semaphore.go).
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
