import { expect, test } from 'vitest';
import { type Hold, type HoldRead, holdOf, judgeLease, nextLookMs } from './lease';

const leaseMs = 30_000;
const read = (ttlMs: number | null, of: Partial<HoldRead> = {}): HoldRead => ({
  count: 1,
  ttlMs,
  token: null,
  ...of,
});

/** Readings of one holder, each so many milliseconds after the beginning; `fresh`: it was seen to begin. */
function seen(readings: readonly (readonly [atMs: number, read: HoldRead])[], fresh = true): Hold {
  let hold: Hold | null = null;
  for (const [atMs, one] of readings) hold = holdOf(hold, one, { atMs, slackMs: 2, fresh });
  if (hold === null) throw new Error('nothing was read');
  return hold;
}
const codes = (hold: Hold) => judgeLease(hold).evidence.map(({ code }) => code);

test('a lease that moves on by a third each time is renewed, and its row rests between', () => {
  const first = seen([[0, read(leaseMs)]]);
  expect(codes(first)).toEqual(['redis-lease-runs']);
  const hold = seen([
    [0, read(leaseMs)],
    [4_000, read(leaseMs)],
    [14_000, read(leaseMs - 3)],
  ]);
  expect(codes(hold)).toEqual(['redis-lease-runs', 'redis-lease-renewed']);
  expect(judgeLease(hold)).toMatchObject({ verdict: 'alive', expiry: { kind: 'lease', withinMs: leaseMs } });
  const later = holdOf(hold, read(leaseMs - 9_000), { atMs: 23_003, slackMs: 2, fresh: true });
  expect(judgeLease(later)).toEqual(judgeLease(hold));
});

test('once renewed and then silent for half a lease it is overdue, from what Redis says alone', () => {
  const readings: [number, HoldRead][] = [
    [0, read(leaseMs)],
    [10_000, read(leaseMs)],
    [20_000, read(leaseMs)],
  ];
  const silent = (ms: number) => seen([...readings, [20_000 + ms, read(leaseMs - ms)]]);
  expect(judgeLease(silent(15_400)).verdict).toBe('alive');
  const overdue = silent(15_600);
  expect(judgeLease(overdue)).toMatchObject({
    verdict: 'overdue',
    expiry: { kind: 'lease', latestMs: 50_000, lastRenewalMs: 20_000 },
  });
  expect(nextLookMs(seen(readings))).toBe(35_500);
  // It was only late.
  const back = holdOf(overdue, read(leaseMs), { atMs: 36_000, slackMs: 2, fresh: true });
  expect(judgeLease(back).verdict).toBe('alive');
});

test('a gap in the view does not make anybody overdue: the lease tells when it was renewed last', () => {
  const hold = seen([
    [0, read(leaseMs)],
    [10_000, read(leaseMs)],
    [20_000, read(leaseMs)],
    [300_000, read(leaseMs - 5_000)],
  ]);
  expect(judgeLease(hold).verdict).toBe('alive');
});

test('a lease that was seen to begin and is not renewed is a fixed one, and ends by itself', () => {
  const hold = seen([
    [0, read(leaseMs)],
    [16_000, read(leaseMs - 16_000)],
  ]);
  expect(codes(hold)).toEqual(['redis-lease-runs', 'redis-lease-fixed']);
  expect(judgeLease(hold).verdict).toBe('alive');
  // What was there before could have been renewed unseen.
  const old = seen(
    [
      [0, read(20_000)],
      [16_000, read(4_000)],
    ],
    false,
  );
  expect(codes(old)).toEqual(['redis-lease-runs']);
});

test('one move is no proof, and neither are many within a moment', () => {
  expect(
    codes(
      seen([
        [0, read(leaseMs)],
        [10_000, read(leaseMs)],
      ]),
    ),
  ).not.toContain('redis-lease-renewed');
  const loop = seen(Array.from({ length: 20 }, (_, i) => [i * 200, read(leaseMs)] as const));
  expect(codes(loop)).not.toContain('redis-lease-renewed');
});

test('a re-entry is no renewal, and a writer’s adds to its lease', () => {
  const hold = seen([
    [0, read(leaseMs)],
    [1_000, read(59_000, { count: 2 })],
    [2_000, read(88_000, { count: 3 })],
  ]);
  expect(hold).toMatchObject({ count: 3, touches: 0, endMs: 90_000 });
});

test('a new token is a new hold, unless the same thread has taken it once more', () => {
  const one = seen([[0, read(leaseMs, { token: '7' })]]);
  const moment = { atMs: 5_000, slackMs: 2, fresh: true };
  expect(holdOf(one, read(leaseMs, { token: '8' }), moment).since).toEqual({
    atMs: 5_000,
    basis: 'observed',
  });
  expect(holdOf(one, read(leaseMs, { token: '8', count: 2 }), moment).since.atMs).toBe(0);
  // It may have begun at any time since the last reading.
  expect(holdOf(one, read(leaseMs, { token: '8' }), { ...moment, fresh: false }).since).toEqual({
    atMs: 5_000,
    basis: 'at-least',
  });
});

test('a token that is read for the first time does not make a hold new', () => {
  const found = seen([[0, read(leaseMs)]], false);
  const asked = holdOf(found, read(leaseMs - 50, { token: '17' }), {
    atMs: 50,
    slackMs: 2,
    fresh: true,
  });
  expect(asked).toMatchObject({ since: { atMs: 0, basis: 'at-least' }, begun: false, token: '17' });
  const again = holdOf(asked, read(leaseMs, { token: '18' }), {
    atMs: 5_000,
    slackMs: 2,
    fresh: true,
  });
  expect(again.since).toEqual({ atMs: 5_000, basis: 'observed' });
});

test('a hold that is over is read once more when it counts as over, and then no more', () => {
  const nextAt = (atMs: number) =>
    nextLookMs(
      seen([
        [0, read(4_000)],
        [atMs, read(4_000 - atMs)],
      ]),
    );
  expect(nextAt(3_000)).toBe(4_060);
  expect(nextAt(4_060)).toBe(5_060);
  expect(nextAt(5_060)).toBeNull();
  expect(nextAt(9_000_000)).toBeNull();
});

test('no lease is no end', () => {
  const hold = seen([[0, read(null)]]);
  expect(judgeLease(hold)).toMatchObject({ verdict: 'immortal', expiry: { kind: 'never', latestMs: null } });
  expect(nextLookMs(hold)).toBeNull();
});

test('a reading that took long is no renewal when the next one is exact', () => {
  let hold: Hold | null = null;
  for (const [atMs, ttlMs, slackMs] of [
    [0, leaseMs, 2],
    [10_000, leaseMs, 2],
    // The answer was 700 ms on its way, so that its middle is 350 ms off.
    [20_350, leaseMs, 350],
    [35_700, leaseMs - 15_700, 2],
  ] as const)
    hold = holdOf(hold, read(ttlMs), { atMs, slackMs, fresh: true });
  expect(hold && judgeLease(hold).verdict).toBe('overdue');
});
