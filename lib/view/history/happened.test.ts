import { expect, test } from 'vitest';
import type { Hold } from '@/lib/domain/history/episode';
import { answerOf, holdOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { happenedIn, withLosses } from './happened';
import { recoveryOf } from './recovery';

const minuteMs = 60_000;
const nowMs = 10 * 60 * minuteMs;
let made = 0;
const hold = (fromMs: number, toMs: number | null, over: Partial<Hold> = {}): Hold => {
  made += 1;
  const who = whoOf(`w${made}`, { label: `worker-${made}` });
  return holdOf(fromMs, toMs, { id: `h${made}`, who, ...over });
};
const deed = (atMs: number) => ({ seq: 1, by: 'ana', type: 'lock.release', reason: 'stuck', atMs });
const history = (...episodes: Hold[]) => answerOf(nowMs, { episodes });

test('a hold that did not end by release happened, one that was released or goes on did not', () => {
  const lost = hold(0, 1_000, { end: 'session-ended' });
  const removed = hold(2_000, 3_000, { end: 'evicted-here', deed: deed(3_000) });
  const read = history(lost, hold(1_000, 2_000), removed, hold(4_000, null));
  expect(happenedIn(read, nowMs, true).map(({ id }) => id)).toEqual([removed.id, lost.id]);
});

test('losses that an answer left out for what was released happened as well, each once', () => {
  const [old, known] = [
    hold(0, 1_000, { end: 'session-ended' }),
    hold(5_000, 6_000, { end: 'session-ended' }),
  ];
  const answer = answerOf(nowMs, { more: true, episodes: [known, hold(7_000, 8_000)] });
  const whole = withLosses(answer, { episodes: [known, old], waits: [] });
  expect(happenedIn(whole, nowMs, true).map(({ id }) => id)).toEqual([known.id, old.id]);
});

test('losses stand among the other rows by when they began, so that a report of the newest rows keeps the newest losses', () => {
  const [early, lost, late] = [
    hold(0, 1_000),
    hold(2_000, 6_000, { end: 'session-ended' }),
    hold(3_000, 4_000),
  ];
  const answer = { ...history(early, late), from: 0, more: true };
  const whole = withLosses(answer, { episodes: [lost], waits: [] });
  expect(whole.episodes.map(({ id }) => id)).toEqual([early.id, lost.id, late.id]);
});

test('a hold far beyond the p99 of its own lock happened, whether over or not, and where none is known none did', () => {
  const [over, current, other] = [
    hold(50_000, 60_000),
    hold(nowMs - minuteMs, null),
    hold(0, 60_000, { subject: { source: 'consul', kind: 'lock', key: 'other' } }),
  ];
  const lost = hold(0, 60_000, { end: 'session-ended' });
  const read = history(hold(0, 900), over, current, other, lost);
  const usual = [{ subject: over.subject, n: 100, p99Ms: 900 }];
  const long = (lostOnly: boolean) =>
    happenedIn({ ...read, usual }, nowMs, lostOnly).filter(({ kind }) => kind === 'long');
  expect(long(false).map(({ id }) => id)).toEqual([current.id, over.id]);
  expect(long(true)).toEqual([]);
  expect(happenedIn(read, nowMs, false).map(({ id }) => id)).toEqual([lost.id]);
});

test('limits, flapping and gaps stand among the rest, newest first', () => {
  const gap = { id: 'g', source: 'consul', fromMs: 500, toMs: 700, why: 'outage' } as const;
  const subject = { source: 'consul', kind: 'semaphore', prefix: 'pool' } as const;
  const at = { atMs: 2_000, basis: 'observed' } as const;
  const limit = { id: 'l', subject, before: 1, after: 2, at, deed: null };
  const lost = hold(0, 1_000, { end: 'lease-ended' });
  const found = { id: 'f', subject, from: at, to: null, severities: [], cleared: null, deed: null };
  const findings = [
    { ...found, code: 'flapping' as const, from: { ...at, atMs: 800 } },
    { ...found, id: 'o', code: 'over-limit' as const },
  ];
  const read = { episodes: [lost], findings, limits: [limit], gaps: [gap] };
  expect(happenedIn(read, nowMs, false).map(({ kind }) => kind)).toEqual([
    'limit',
    'ended',
    'flapping',
    'gap',
  ]);
});

test('after an action its subject says who was removed and who came next, and when', () => {
  const endMs = nowMs - minuteMs;
  const removed = hold(0, endMs, { end: 'evicted-here', deed: deed(endMs) });
  const next = hold(endMs + 24, null);
  expect(recoveryOf(history(hold(0, 10), removed, next), nowMs)).toMatchObject({
    id: removed.id,
    removed: removed.who.label,
    next: next.who.label,
    afterMs: 24,
  });
  expect(recoveryOf(history(removed), nowMs)).toMatchObject({ next: null, afterMs: null });
  const unseen = hold(endMs + 24, null, { from: { atMs: endMs + 24, basis: 'at-least' } });
  expect(recoveryOf(history(removed, unseen), nowMs)).toMatchObject({
    next: unseen.who.label,
    afterMs: null,
  });
  const early = hold(endMs - 5, null);
  const late = { ...removed, deed: deed(endMs - 20) };
  expect(recoveryOf(history(late, early), nowMs)).toMatchObject({ next: early.who.label, afterMs: null });
  expect(recoveryOf(history(hold(0, endMs)), nowMs)).toBeNull();
});
