import { expect, test } from 'vitest';
import type { FindingEpisode, Gap, Hold } from '@/lib/domain/history/episode';
import { holdOf, observed, whoOf } from '@/lib/domain/history/fixture/episodes';
import { newsMs, recoveryOf } from './recovery';

const minuteMs = 60_000;
const endMs = 10 * minuteMs;
const nowMs = endMs + 5 * minuteMs;
const deed = { seq: 1, by: 'ana', type: 'lock.release', reason: 'stuck', atMs: endMs };
const removed = holdOf(0, endMs, { id: 'removed', end: 'evicted-here', deed });
const next = holdOf(endMs + 24, null, { id: 'next', who: whoOf('n') });
const finding = (fromMs: number, toMs: number | null, severity: 'urgent' | 'notice'): FindingEpisode => ({
  id: `f${fromMs}`,
  code: 'flapping',
  subject: removed.subject,
  from: observed(fromMs),
  to: toMs === null ? null : observed(toMs),
  severities: [{ severity, atMs: fromMs }],
  cleared: null,
  deed: null,
});
const stableSince = (over: {
  episodes?: readonly Hold[];
  findings?: readonly FindingEpisode[];
  gaps?: readonly Gap[];
}) => {
  const read = { episodes: [removed, next], findings: [], gaps: [], hours: [], ...over };
  return recoveryOf(read, nowMs)?.stableSinceMs;
};

test('it is stable since the next one holds, and since the last trouble after that', () => {
  expect(stableSince({})).toBe(endMs + 24);
  expect(stableSince({ episodes: [removed] })).toBeNull();
  expect(stableSince({ findings: [finding(0, endMs + minuteMs, 'urgent')] })).toBe(endMs + minuteMs);
  expect(stableSince({ findings: [finding(0, null, 'urgent')] })).toBeNull();
  expect(stableSince({ findings: [finding(0, null, 'notice')] })).toBe(endMs + 24);
  const lost = holdOf(endMs + 24, endMs + 2 * minuteMs, { id: 'lost', end: 'session-ended' });
  expect(stableSince({ episodes: [removed, lost, holdOf(nowMs - 1_000, null)] })).toBe(endMs + 2 * minuteMs);
});

test('nothing was stable while nobody looked, and a gap of another source is none', () => {
  const gap = (source: string, toMs: number | null): Gap => ({
    id: `g${source}`,
    source,
    fromMs: endMs + minuteMs,
    toMs,
    why: 'outage',
  });
  expect(stableSince({ gaps: [gap('consul', endMs + 3 * minuteMs)] })).toBe(endMs + 3 * minuteMs);
  expect(stableSince({ gaps: [gap('consul', null)] })).toBeNull();
  expect(stableSince({ gaps: [gap('other', null)] })).toBe(endMs + 24);
});

test('it is told for a day, whoever holds by then', () => {
  const read = {
    episodes: [removed, holdOf(endMs + 24, endMs + 50), next],
    findings: [],
    gaps: [],
    hours: [],
  };
  expect(recoveryOf(read, endMs + newsMs)?.removed).toBe(removed.who.label);
  expect(recoveryOf(read, endMs + newsMs + 1)).toBeNull();
});

test('where short holds are only counted nobody is said to have come next', () => {
  const hour = (hourMs: number) => ({
    subject: removed.subject,
    hourMs,
    holds: 900,
    heldMs: 1,
    holdP50Ms: 1,
    holdP95Ms: 1,
    holdMaxMs: 1,
    waits: 0,
    waitP50Ms: null,
    waitP95Ms: null,
    waitMaxMs: null,
    lost: 0,
  });
  const read = { episodes: [removed, next], findings: [], gaps: [] };
  expect(recoveryOf({ ...read, hours: [hour(0)] }, nowMs)?.counted).toBe(true);
  expect(recoveryOf({ ...read, hours: [hour(60 * minuteMs)] }, nowMs)?.counted).toBe(false);
});
