/** The edge's check of a source's id. */
import { type Problem, ProblemError } from '@/lib/domain/problem';
import type { SourceId } from '@/lib/domain/source';
import { partOf, partsOf, type SourceState } from '@/lib/domain/source-state';

/** The problem of a source that is not configured; `null`: it is. */
export function unknownSource(source: SourceId, state: SourceState): Problem | null {
  if (partOf(state, source) !== null) return null;
  const known = partsOf(state)
    .map(({ id }) => id)
    .join(', ');
  return { code: 'not-found', why: { code: 'no-source', facts: { source, known } } };
}

/** Throws `not-found` for an id that no configured source has. `null`: every source is meant. */
export function requireSource(source: SourceId | null, state: SourceState): void {
  const problem = source === null ? null : unknownSource(source, state);
  if (problem !== null) throw new ProblemError(problem);
}
