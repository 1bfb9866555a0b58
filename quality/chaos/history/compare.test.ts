/** The comparison can fail: each kind of difference is found where it is, and none where there is none. */
import { expect, test } from 'vitest';
import { type Comparison, compare, type ToldHold } from './compare';
import type { SeenHold } from './observer';

const at = (ms: number) => ({ afterMs: ms - 2, byMs: ms });
const hold = (over: Partial<SeenHold> = {}): SeenHold => ({
  subject: 'lock:storm/a',
  session: 's1',
  token: '1',
  from: at(100_000),
  to: at(110_000),
  ending: 'let-go',
  withSession: false,
  ...over,
});
const told = (over: Partial<ToldHold> = {}): ToldHold => ({
  id: 'r1',
  subject: { kind: 'lock', key: 'storm/a' },
  who: { id: 's1' },
  from: { atMs: 100_050, basis: 'observed' },
  to: { atMs: 110_050, basis: 'observed' },
  end: 'released',
  deed: null,
  token: '1',
  verdicts: [],
  ...over,
});
const beside = (over: Partial<Comparison> & { holds?: SeenHold[]; episodes?: ToldHold[] } = {}) => {
  const { holds = [hold()], episodes = [told()], ...rest } = over;
  return compare({
    seen: { holds, readsMs: [100_000, 110_000], sessionsEnded: new Map(), gone: [], made: [], spoiled: [] },
    told: { episodes, gaps: [] },
    deeds: [],
    notLive: [],
    blindings: [],
    boundMs: 5_500,
    askedMs: 200_000,
    ...rest,
  });
};
/** An action that was asked for just before the hold ended. */
const released = {
  type: 'lock.release',
  subject: 'lock:storm/a',
  sessions: ['s1'],
  sure: true,
  askedMs: 109_900,
  answeredMs: 110_100,
};
const nothingElse = { readsMs: [], sessionsEnded: new Map(), gone: [], made: [], spoiled: [] };
const kinds = (over: Parameters<typeof beside>[0]) => beside(over).differences.map(({ kind }) => kind);
const gap = { fromMs: 104_000, toMs: 118_000, why: 'outage' };
const dark = { notLive: [{ fromMs: 104_500, toMs: 118_000 }] };

test('the same hold on both sides is no difference', () => {
  expect(beside()).toMatchObject({ equal: 1, differences: [], lagsMs: [50, 50] });
});

test.each([
  ['is not told', { episodes: [] }, ['missing']],
  ['was never there', { episodes: [told(), told({ id: 'r2', who: { id: 's2' } })] }, ['invented']],
  ['is told by another acquisition', { episodes: [told({ token: '2' })] }, ['invented', 'missing']],
  ['is told too late', { episodes: [told({ from: { atMs: 106_000, basis: 'observed' } })] }, ['late']],
  ['ended otherwise', { episodes: [told({ end: 'session-ended' })] }, ['end']],
  ['goes on in the history alone', { episodes: [told({ to: null, end: null })] }, ['end']],
  ['ended unseen without a gap', { episodes: [told({ end: 'not-watched' })] }, ['end']],
  ['is called evicted without an action', { episodes: [told({ end: 'evicted-here' })] }, ['end', 'deed']],
  [
    'was evicted and is not called so',
    {
      deeds: [released],
    },
    ['end'],
  ],
] as const)('a hold that %s', (_how, over, found) => {
  expect(kinds(over as Parameters<typeof beside>[0])).toEqual(found);
});

test('a hold that ends after the observer has stopped went on for both', () => {
  const holds = [hold({ to: null, ending: null })];
  const late = told({ to: { atMs: 200_100, basis: 'observed' }, end: 'session-ended' });
  expect(kinds({ holds, episodes: [late] })).toEqual([]);
  expect(kinds({ holds, episodes: [told({ to: { atMs: 199_000, basis: 'observed' } })] })).toEqual(['end']);
});

test('a hold that was over before a read is counted, and is no difference', () => {
  const short = hold({ session: 's2', from: at(120_000), to: at(123_000) });
  expect(beside({ holds: [hold(), short] })).toMatchObject({
    unread: 1,
    longestUnreadMs: 3_000,
    differences: [],
  });
});

test('a session that ended before Signalbox looked gives two right names', () => {
  const seen = {
    holds: [hold()],
    readsMs: [],
    sessionsEnded: new Map([['s1', at(110_020)]]),
    gone: [],
    made: [],
    spoiled: [],
  };
  for (const end of ['released', 'session-ended'])
    expect(beside({ seen, episodes: [told({ end })] })).toMatchObject({ coalesced: 1, differences: [] });
  // By Consul's own indexes it was one step.
  const one = { ...seen, holds: [hold({ withSession: true })] };
  expect(kinds({ seen: one })).toEqual(['end']);
});

test('in a gap an end is not watched, and nothing else', () => {
  const gone = told({ end: 'not-watched', to: { atMs: 118_050, basis: 'at-most' } });
  const inGap = { told: { episodes: [gone], gaps: [gap] }, ...dark };
  expect(beside(inGap).differences).toEqual([]);
  const evicted = told({ end: 'evicted-here', to: gone.to, deed: { type: 'lock.release' } });
  expect(kinds({ ...dark, deeds: [released], told: { episodes: [evicted], gaps: [gap] } })).toEqual([]);
  // No other name of an end can be known.
  const guessed = told({ to: gone.to });
  expect(kinds({ ...dark, told: { episodes: [guessed], gaps: [gap] } })).toEqual(['basis']);
  const late = told({ to: { atMs: 113_000, basis: 'observed' } });
  expect(kinds({ ...dark, told: { episodes: [late], gaps: [gap] } })).toEqual(['basis']);
});

test('what is told as it was seen was seen, although a gap had begun', () => {
  expect(kinds({ ...dark, told: { episodes: [told()], gaps: [gap] } })).toEqual([]);
});

test('a hold between two reads of the observer is counted, and is no difference', () => {
  const [fromMs, toMs] = [120_000, 120_080];
  const short = told({
    id: 'r2',
    who: { id: 's2' },
    from: { atMs: fromMs, basis: 'observed' },
    to: { atMs: toMs, basis: 'observed' },
  });
  const seenBy = (...readsMs: number[]) => ({
    ...{ holds: [hold()], sessionsEnded: new Map(), gone: [], made: [], spoiled: [] },
    readsMs,
  });
  const episodes = [told(), short];
  expect(beside({ seen: seenBy(fromMs - 20, toMs + 20), episodes })).toMatchObject({
    unobserved: 1,
    longestUnobservedMs: 80,
    differences: [],
  });
  // An answer that came with it may be older.
  expect(kinds({ seen: seenBy(fromMs + 10, toMs + 20), episodes })).toEqual([]);
  expect(kinds({ seen: seenBy(fromMs + 60, toMs + 20), episodes })).toEqual(['invented']);
  expect(kinds({ seen: seenBy(fromMs - 20), episodes })).toEqual(['invented']);
  const long = { ...short, to: { atMs: fromMs + 20_000, basis: 'observed' } };
  expect(kinds({ seen: seenBy(fromMs - 20, fromMs + 20_020), episodes: [told(), long] })).toEqual([
    'invented',
  ]);
});

test('a gap in which its screen was live is one too many, and blindness without a gap one too few', () => {
  const fresh = { holds: [], episodes: [] };
  expect(kinds({ ...fresh, told: { episodes: [], gaps: [gap] } })).toEqual(['gap-invented']);
  expect(kinds({ ...fresh, ...dark })).toEqual(['gap-missing']);
  const blindings = [{ name: 'link-stalled', fromMs: 104_000, toMs: 118_000 }];
  expect(kinds({ ...fresh, blindings })).toEqual(['gap-missing']);
});

test('a slot that its session takes again is one hold or two, as it was told', () => {
  const slot = (fromMs: number, toMs: number) =>
    hold({ subject: 'semaphore:storm/b', token: null, from: at(fromMs), to: at(toMs) });
  const row = (id: string, fromMs: number, toMs: number) =>
    told({
      id,
      subject: { kind: 'semaphore', prefix: 'storm/b' },
      from: { atMs: fromMs, basis: 'observed' },
      to: { atMs: toMs, basis: 'observed' },
      token: null,
    });
  const holds = [slot(100_000, 103_000), slot(103_100, 103_500)];
  expect(beside({ holds, episodes: [row('r1', 100_050, 103_550)] })).toMatchObject({ joined: 1, unread: 0 });
  const two = [row('r1', 100_050, 103_040), row('r2', 103_150, 103_550)];
  expect(beside({ holds, episodes: two })).toMatchObject({ joined: 0, equal: 2, differences: [] });
  // Also where the first one was told too long.
  const close = [slot(100_000, 103_000), slot(103_200, 103_400)];
  const apart = [row('r1', 100_050, 103_210), row('r2', 103_215, 103_410)];
  expect(beside({ holds: close, episodes: apart })).toMatchObject({ joined: 0, equal: 2, differences: [] });
  // However short the first one was.
  const short = [slot(100_000, 100_300), slot(100_400, 103_000)];
  const shortTold = [row('r1', 100_010, 100_310), row('r2', 100_420, 103_010)];
  expect(beside({ holds: short, episodes: shortTold })).toMatchObject({ equal: 2, differences: [] });
  expect(kinds({ holds: short, episodes: [row('r1', 106_200, 106_300)] })).toEqual(['late']);
});

test('a pruned ghost is one only where its session had ended at the read before', () => {
  const slot = hold({ subject: 'semaphore:storm/b', token: null });
  const ghost = told({
    subject: { kind: 'semaphore', prefix: 'storm/b' },
    token: null,
    verdicts: [{ verdict: 'ghost' }],
  });
  const endedAt = (ms: number) => ({
    seen: { ...nothingElse, holds: [slot], sessionsEnded: new Map([['s1', at(ms)]]) },
    episodes: [ghost],
  });
  expect(kinds(endedAt(109_999))).toEqual([]);
  expect(kinds(endedAt(109_900))).toEqual(['end']);
  // Also where the keys were not read for a while.
  const quiet = { ...slot, to: { afterMs: 105_000, byMs: 110_000 } };
  const seen = { ...nothingElse, holds: [quiet], sessionsEnded: new Map([['s1', at(105_200)]]) };
  expect(kinds({ seen, episodes: [ghost] })).toEqual(['end']);
});

test('of two that leave at once, one whose session ends then leaves the other one to be a release', () => {
  const slot = (session: string) =>
    hold({ subject: 'semaphore:storm/b', token: null, session, ending: 'several' });
  const row = (id: string, session: string, end: string) =>
    told({
      id,
      subject: { kind: 'semaphore', prefix: 'storm/b' },
      token: null,
      who: { id: session },
      end,
    });
  const holds = [slot('s1'), slot('s2')];
  const episodes = [row('r1', 's1', 'released'), row('r2', 's2', 'entry-overwritten')];
  expect(kinds({ holds, episodes })).toEqual(['end']);
  const seen = { ...nothingElse, holds, sessionsEnded: new Map([['s2', at(110_020)]]) };
  expect(kinds({ seen, episodes })).toEqual([]);
  const later = { ...nothingElse, holds, sessionsEnded: new Map([['s2', at(110_200)]]) };
  expect(kinds({ seen: later, episodes })).toEqual(['end']);
});
