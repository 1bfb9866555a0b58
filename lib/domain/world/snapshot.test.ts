import { expect, test } from 'vitest';
import type { SourceState } from '@/lib/domain/source-state';
import { emptied, sourceNow, wasRead } from './snapshot';

const unread: SourceState = {
  id: 'consul',
  title: 'Consul',
  provider: 'consul',
  datacenter: null,
  origin: '',
  state: 'catching-up',
  lastContactMs: null,
  staleSinceMs: null,
  endsSeenSinceMs: null,
  restoredAtMs: null,
  renewals: [],
  problem: null,
};
const told = (state: SourceState['state'], lastContactMs: number | null) =>
  sourceNow({ source: { ...unread, state, lastContactMs } }, 5_000).lastContactMs;

test('a live source was in contact when the backend answered last', () => {
  expect(told('live', 1_000)).toBe(5_000);
  expect(told('live', 6_000)).toBe(6_000);
});

test('old data keeps the time of its last contact, and a source without contact says so', () => {
  expect(told('stale', 1_000)).toBe(1_000);
  expect(told('live', null)).toBeNull();
});

test('that Consul has answered does not mean that anything was read', () => {
  for (const state of ['catching-up', 'stale', 'down'] as const) {
    const answered: SourceState = { ...unread, state, lastContactMs: 5 };
    expect(wasRead(answered)).toBe(false);
  }
  expect(wasRead({ ...unread, state: 'down', staleSinceMs: 5 })).toBe(true);
});

test('the rest of a withdrawn view does not count as read, in any state', () => {
  const world = { version: 3, asOfMs: 5, locks: [], semaphores: [], sessions: [], findings: [] };
  for (const state of ['live', 'catching-up', 'stale', 'down'] as const) {
    const left = emptied({ ...world, source: { ...unread, state, lastContactMs: 5, staleSinceMs: 5 } });
    expect(wasRead(left.source)).toBe(false);
  }
});
