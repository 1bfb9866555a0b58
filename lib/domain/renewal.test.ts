import { expect, test } from 'vitest';
import { graceMs, phaseOf, type Renewing, slackMs } from './renewal';

const ttlMs = 10_000;
const seen = (change: Partial<NonNullable<Renewing['seen']>> = {}, restartedMs: number | null = null) =>
  ({
    seen: {
      lastMs: 100_000,
      agents: 'a',
      wholeSinceMs: 50_000,
      wholeUntilMs: 1e9,
      elsewhereAtMs: null,
      ...change,
    },
    why: 'unseen',
    restartedMs,
  }) satisfies Renewing;
const at = (renewing: Renewing, ms: number) => phaseOf(ttlMs, renewing, ms).phase;

test('nothing is concluded of a session whose renewals were never seen, however long it is silent', () => {
  expect(phaseOf(ttlMs, { seen: null, why: 'unseen', restartedMs: null }, 1e12)).toEqual({
    phase: 'unseen',
    fromMs: null,
    latestMs: null,
    nextMs: null,
  });
});

test('a session is overdue a TTL after its last renewal, and each phase says when the next begins', () => {
  const renewing = seen();
  const dueMs = 100_000 + ttlMs + slackMs;
  expect(phaseOf(ttlMs, renewing, 100_001)).toMatchObject({
    phase: 'on-time',
    latestMs: 120_000,
    nextMs: dueMs,
  });
  expect(at(renewing, dueMs - 1)).toBe('on-time');
  expect(phaseOf(ttlMs, renewing, dueMs)).toMatchObject({
    phase: 'overdue',
    latestMs: 120_000,
    nextMs: 120_000 + graceMs,
  });
  expect(phaseOf(ttlMs, renewing, 120_000 + graceMs)).toMatchObject({ phase: 'elsewhere', nextMs: null });
});

test('silence counts from the end of a gap, for a renewal may have gone by in it', () => {
  const renewing = seen({ wholeSinceMs: 109_000 });
  expect(at(renewing, 112_000)).toBe('on-time');
  expect(at(renewing, 109_000 + ttlMs + slackMs)).toBe('overdue');
  expect(phaseOf(ttlMs, renewing, 112_000).latestMs).toBe(129_000);
});

test('silence is counted up to the moment until which it is proven, however late it is', () => {
  const dueMs = 100_000 + ttlMs + slackMs;
  const renewing = seen({ wholeUntilMs: dueMs - 1 });
  // A later renewal may be on its way, or lost with a connection not yet known to be broken.
  expect(phaseOf(ttlMs, renewing, dueMs + 60_000)).toMatchObject({
    phase: 'on-time',
    nextMs: dueMs + 61_000,
  });
  expect(at(seen({ wholeUntilMs: dueMs }), dueMs + 1)).toBe('overdue');
  expect(at(seen({ wholeUntilMs: 120_000 + graceMs - 1 }), 1e9)).toBe('overdue');
});

test('while an agent of the session is not followed nothing is concluded', () => {
  expect(at(seen({ wholeSinceMs: null }), 200_000)).toBe('broken');
});

test('an election gives every session its full time again', () => {
  const renewing = seen({}, 115_000);
  expect(at(renewing, 116_000)).toBe('on-time');
  expect(phaseOf(ttlMs, renewing, 116_000).latestMs).toBe(135_000);
});

test('a session known to be renewed elsewhere is never overdue', () => {
  expect(at(seen({ elsewhereAtMs: 99_000 }), 112_000)).toBe('elsewhere');
});
