/** What is said of one instant. */
import { expect, test } from 'vitest';
import type { Gap, HeldSubject, Hold, HourFigures, LimitChange, Wait } from './episode';
import { type KeptTime, type PastRows, pastOf } from './past';

const lock: HeldSubject = { source: 'consul', kind: 'lock', key: 'a' };
const pool: HeldSubject = { source: 'consul', kind: 'semaphore', prefix: 'pool' };
const who = (id: string) => ({ id, label: `worker ${id}`, name: `worker ${id}`, node: 'n1' });
const span = (fromMs: number, toMs: number | null) => ({
  from: { atMs: fromMs, basis: 'observed' as const },
  to: toMs === null ? null : { atMs: toMs, basis: 'observed' as const },
  deed: null,
});
const hold = (subject: HeldSubject, id: string, fromMs: number, toMs: number | null): Hold => ({
  id: `${id} ${fromMs}`,
  subject,
  who: who(id),
  mode: null,
  ...span(fromMs, toMs),
  end: toMs === null ? null : 'released',
  verdicts: [
    { verdict: 'alive', atMs: fromMs },
    { verdict: 'overdue', atMs: fromMs + 50 },
  ],
  waitersMax: null,
  delayMs: null,
  token: '1',
});
const wait = (id: string, fromMs: number, toMs: number | null): Wait => ({
  id: `wait ${id}`,
  subject: pool,
  who: who(id),
  ...span(fromMs, toMs),
  end: toMs === null ? null : 'got-in',
});
const limit = (before: number, after: number, atMs: number): LimitChange => ({
  id: `limit ${atMs}`,
  subject: pool,
  before,
  after,
  at: { atMs, basis: 'observed' },
  deed: null,
});
const gap = (fromMs: number, toMs: number | null, why: Gap['why'] = 'outage'): Gap => ({
  id: `gap ${fromMs}`,
  source: 'consul',
  fromMs,
  toMs,
  why,
});
const all: KeptTime = {
  keptSinceMs: 100,
  writtenUntilMs: 10_000,
  known: new Set(['consul']),
  unbroken: new Map([['consul', { fromMs: 0, toMs: 20_000 }]]),
};
const none: PastRows = { episodes: [], waits: [], findings: [], limits: [], gaps: [], hours: [] };
const at = (rows: Partial<PastRows>, atMs: number, kept: Partial<KeptTime> = {}) =>
  pastOf({ ...none, ...rows }, atMs, ['consul'], { ...all, ...kept });

test('a hold is there from its first instant to before its last, with the verdict of then and its later end', () => {
  const episodes = [hold(lock, 'x', 1_000, 2_000), hold(lock, 'y', 2_000, null)];
  const holders = (atMs: number) => at({ episodes }, atMs).locks.map(({ holders }) => holders);
  expect(holders(999)).toEqual([]);
  expect(holders(1_000)).toMatchObject([
    [{ sessionId: 'x', verdict: 'alive', until: { atMs: 2_000 }, end: 'released' }],
  ]);
  expect(holders(1_999)).toMatchObject([[{ sessionId: 'x', verdict: 'overdue' }]]);
  expect(holders(2_000)).toMatchObject([[{ sessionId: 'y', until: null, end: null }]]);
});

test('what the history does not know is absent: no field of a lock says it is empty', () => {
  const [row] = at({ episodes: [hold(lock, 'x', 1_000, null)] }, 1_500).locks;
  expect(Object.keys(row ?? {}).sort()).toEqual(['holders', 'key', 'kind', 'source']);
});

test('a queue is empty only where it was so during a whole hold', () => {
  const of = (waitersMax: number | null, waits: Wait[] = []) =>
    at({ episodes: [{ ...hold(pool, 'x', 1_000, null), waitersMax }], waits }, 1_500).semaphores[0]?.waiters;
  expect(of(null)).toBeUndefined();
  expect(of(3)).toBeUndefined();
  expect(of(0)).toEqual([]);
  expect(of(3, [wait('y', 1_200, null), wait('z', 1_200, 1_300)])).toMatchObject([{ sessionId: 'y' }]);
});

test('a limit is told by the change before or after, unless the changes between may have been missed', () => {
  const episodes = [hold(pool, 'x', 1_000, null)];
  const limits = [limit(2, 3, 1_200), limit(3, 4, 1_800)];
  const of = (atMs: number, kept: Partial<KeptTime> = {}) =>
    at({ episodes, limits }, atMs, kept).semaphores[0]?.limit;
  expect([of(1_100), of(1_500), of(1_900)]).toEqual([2, 3, 4]);
  const restart = { unbroken: new Map([['consul', { fromMs: 1_300, toMs: 1_700 }]]) };
  expect(of(1_500, restart)).toBeUndefined();
});

test('a source is unseen in a gap, before what is kept of it, and after what is written; nothing of it is shown then', () => {
  const episodes = [hold(lock, 'x', 50, null)];
  const said = (atMs: number, gaps: Gap[] = [], kept: Partial<KeptTime> = {}) => {
    const { sources, locks } = at({ episodes, gaps }, atMs, kept);
    return [sources[0]?.state, sources[0]?.why, locks.length];
  };
  expect(said(5_000)).toEqual(['seen', null, 1]);
  expect(said(99)).toEqual(['unseen', 'not-kept', 0]);
  expect(said(5_000, [], { keptSinceMs: null })).toEqual(['unseen', 'not-kept', 0]);
  expect(said(5_000, [], { known: new Set() })).toEqual(['unseen', 'not-kept', 0]);
  expect(said(10_001)).toEqual(['unseen', 'not-written', 0]);
  expect(said(5_000, [gap(4_000, 6_000)])).toEqual(['unseen', 'outage', 0]);
  expect(said(5_000, [gap(4_000, null, 'behind')])).toEqual(['unseen', 'behind', 0]);
  expect(said(6_000, [gap(4_000, 6_000)])).toEqual(['seen', null, 1]);
});

test('an hour that is only counted is said of what is not seen held', () => {
  const hour = (subject: HeldSubject, holds: number) => ({ subject, holds }) as HourFigures;
  const { counted } = at(
    {
      episodes: [hold(lock, 'x', 1_000, null)],
      hours: [hour(lock, 5), hour(pool, 7), hour({ ...lock, key: 'b' }, 0)],
    },
    1_500,
  );
  expect(counted.map(({ holds }) => holds)).toEqual([7]);
  const shared = (held: Hold, of: HeldSubject) =>
    at({ episodes: [held], hours: [hour(of, 5)] }, 1_500).counted.length;
  expect(shared(hold(pool, 'x', 1_000, null), pool)).toBe(1);
  expect(shared({ ...hold(lock, 'x', 1_000, null), mode: 'read' }, lock)).toBe(1);
  expect(shared({ ...hold(lock, 'x', 1_000, null), mode: 'write' }, lock)).toBe(0);
});

test('a finding has the severity of then', () => {
  const finding = {
    id: 'f',
    code: 'deadlock' as const,
    subject: lock,
    ...span(1_000, 3_000),
    severities: [
      { severity: 'notice' as const, atMs: 1_000 },
      { severity: 'urgent' as const, atMs: 2_000 },
    ],
    cleared: 'client' as const,
  };
  const severities = [1_500, 2_500, 3_500].map(
    (atMs) => at({ findings: [finding] }, atMs).findings[0]?.severity,
  );
  expect(severities).toEqual(['notice', 'urgent', undefined]);
});
