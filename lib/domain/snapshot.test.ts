import { expect, test } from 'vitest';
import type { Source } from './model';
import { sourceNow } from './snapshot';

const told = (state: Source['state'], lastContactMs: number | null) => {
  const source: Source = {
    provider: 'consul',
    datacenter: null,
    origin: '',
    state,
    lastContactMs,
    staleSinceMs: null,
    endsSeenSinceMs: null,
    renewals: [],
    problem: null,
  };
  return sourceNow({ source, asOfMs: 5_000 }).lastContactMs;
};

test('what is live was in contact no earlier than its world was read', () => {
  expect(told('live', 1_000)).toBe(5_000);
  expect(told('live', 6_000)).toBe(6_000);
});

test('what is old keeps the time of its last contact, and what never was in contact says so', () => {
  expect(told('stale', 1_000)).toBe(1_000);
  expect(told('live', null)).toBeNull();
});
