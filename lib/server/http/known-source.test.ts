import { expect, test } from 'vitest';
import { ProblemError } from '@/lib/domain/problem';
import type { SourceState } from '@/lib/domain/source-state';
import { requireSource } from './known-source';

const one = { id: 'consul', title: 'Consul', state: 'live' } as SourceState;
const several: SourceState = { ...one, parts: [one, { ...one, id: 'other' }] };

test('a configured source is known, and so is none', () => {
  requireSource('consul', one);
  requireSource(null, one);
  requireSource('other', several);
});

test('another is refused by its name, with those that are configured', () => {
  const refusal = () => requireSource('typo', several);
  expect(refusal).toThrow(ProblemError);
  try {
    refusal();
  } catch (error) {
    const { problem } = error as ProblemError;
    expect(problem).toEqual({
      code: 'not-found',
      why: { code: 'no-source', facts: { source: 'typo', known: 'consul, other' } },
    });
  }
  expect(() => requireSource('other', one)).toThrow(ProblemError);
});
