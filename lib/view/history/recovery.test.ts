import { expect, test } from 'vitest';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import type { FindingEpisode, Gap } from '@/lib/domain/history/episode';
import { answerOf, holdOf, observed, whoOf } from '@/lib/domain/history/fixture/episodes';
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
const recovery = (over: Partial<HistoryAnswer>) =>
  recoveryOf(answerOf(nowMs, { episodes: [removed, next], ...over }), nowMs);
const stableSince = (over: Partial<HistoryAnswer>) => recovery(over)?.stableSinceMs;
const gapOf = (fromMs: number, toMs: number | null, source = 'consul'): Gap => ({
  id: `g${fromMs}`,
  source,
  fromMs,
  toMs,
  why: 'outage',
});

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
  const fromMs = endMs + minuteMs;
  expect(stableSince({ gaps: [gapOf(fromMs, endMs + 3 * minuteMs)] })).toBe(endMs + 3 * minuteMs);
  expect(stableSince({ gaps: [gapOf(fromMs, null)] })).toBeNull();
  expect(stableSince({ gaps: [gapOf(fromMs, null, 'other')] })).toBe(endMs + 24);
  expect(stableSince({ awaySinceMs: fromMs })).toBeNull();
  // Signalbox does not answer, and the page has only its last answer.
  expect(stableSince({ to: fromMs })).toBeNull();
});

test('a subject that was not always watched since is not said to have stayed free', () => {
  const free = { episodes: [removed] };
  const outMs = endMs + minuteMs;
  const unseenFrom = (over: Partial<HistoryAnswer>) => recovery({ ...free, ...over })?.unseenFromMs;
  expect(unseenFrom({})).toBeNull();
  expect(unseenFrom({ gaps: [gapOf(outMs, outMs + minuteMs)] })).toBe(outMs);
  expect(unseenFrom({ gaps: [gapOf(outMs, null)] })).toBe(outMs);
  expect(unseenFrom({ awaySinceMs: outMs })).toBe(outMs);
  expect(unseenFrom({ to: outMs })).toBe(outMs);
  // The removal itself was not watched.
  expect(unseenFrom({ gaps: [gapOf(endMs - minuteMs, outMs)] })).toBe(endMs);
  expect(unseenFrom({ gaps: [gapOf(0, endMs), gapOf(outMs, null, 'other')] })).toBeNull();
});

test('a next holder after a gap may not be the first one, and no time without a holder is known', () => {
  const late = holdOf(endMs + 3 * minuteMs, null, { id: 'late' });
  const after = (over: Partial<HistoryAnswer>) => {
    const told = recovery({ episodes: [removed, late], ...over });
    return { unseenFromMs: told?.unseenFromMs, afterMs: told?.afterMs };
  };
  const outMs = endMs + minuteMs;
  expect(after({ gaps: [gapOf(outMs, outMs + minuteMs)] })).toEqual({ unseenFromMs: outMs, afterMs: null });
  const seen = { unseenFromMs: null, afterMs: 3 * minuteMs };
  expect(after({ gaps: [gapOf(late.from.atMs, null)] })).toEqual(seen);
  expect(after({ gaps: [gapOf(outMs, null, 'other')] })).toEqual(seen);
});

test('it is told for a day, whoever holds by then', () => {
  const read = answerOf(nowMs, { episodes: [removed, holdOf(endMs + 24, endMs + 50), next] });
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
  expect(recovery({ hours: [hour(0)] })?.counted).toBe(true);
  expect(recovery({ hours: [hour(60 * minuteMs)] })?.counted).toBe(false);
});
