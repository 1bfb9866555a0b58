import { expect, test } from 'vitest';
import type { Hold } from '@/lib/domain/history/episode';
import { holdOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { happenedIn } from './happened';
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
const history = (...episodes: Hold[]) => ({ episodes, findings: [], limits: [], gaps: [], hours: [] });

test('a hold that did not end by release happened, one that was released or goes on did not', () => {
  const lost = hold(0, 1_000, { end: 'session-ended' });
  const removed = hold(2_000, 3_000, { end: 'evicted-here', deed: deed(3_000) });
  const read = history(lost, hold(1_000, 2_000), removed, hold(4_000, null));
  expect(happenedIn(read, nowMs, true).map(({ id }) => id)).toEqual([removed.id, lost.id]);
});

test('a hold far beyond the p95 of its subject happened, whether over or not, and of few holds none did', () => {
  const usual = Array.from({ length: 40 }, (_, i) => hold(i * 1_000, i * 1_000 + 900));
  const [over, current] = [hold(50_000, 60_000), hold(nowMs - minuteMs, null)];
  const read = history(...usual, over, current);
  expect(happenedIn(read, nowMs, false).map(({ kind, id }) => [kind, id])).toEqual([
    ['long', current.id],
    ['long', over.id],
  ]);
  expect(happenedIn(read, nowMs, true)).toEqual([]);
  expect(happenedIn(history(...usual.slice(0, 10), over), nowMs, false)).toEqual([]);
});

test('a hold whose beginning was missed says nothing about how long the others last', () => {
  const usual = Array.from({ length: 40 }, (_, i) => hold(i * 1_000, i * 1_000 + 900));
  const missed = Array.from({ length: 10 }, () => hold(0, 50_000, { from: { atMs: 0, basis: 'at-least' } }));
  const long = hold(nowMs - minuteMs, nowMs);
  expect(happenedIn(history(...usual, ...missed, long), nowMs, false)).toContainEqual(
    expect.objectContaining({ kind: 'long', id: long.id, p95Ms: 900 }),
  );
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
