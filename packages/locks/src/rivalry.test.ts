import { expect, test } from 'vitest';
import { Rivalry } from './rivalry';

const restMaxMs = 2_500;
/** From one release to the next. */
const turnMs = 13;

/** Numbers as if by chance, the same each time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Contenders that want the key all the time. Each turn one of those who are awake gets it. `eachMs`: the cost of one
 * more awake contender for a turn, on a busy machine.
 */
function contend(contenders: number, turns: number, eachMs = 0) {
  const random = seeded(contenders);
  const all = Array.from({ length: contenders }, () => ({
    rivalry: new Rivalry(restMaxMs, random),
    sinceMs: 0,
    sinceTurn: 0,
    awakeAtMs: 0,
  }));
  let holder: (typeof all)[number] | undefined;
  let [woken, taken, longestMs, nowMs] = [0, 0, 0, 0];
  for (let turn = 0; turn < turns; turn += 1) {
    nowMs += turnMs + eachMs * all.filter((one) => one !== holder && one.awakeAtMs <= nowMs).length;
    const awake = all.filter((one) => one !== holder && one.awakeAtMs <= nowMs);
    const winner = awake[Math.floor(random() * awake.length)];
    for (const one of awake) {
      one.rivalry.raced(one !== winner ? 'lost' : holder === undefined ? 'lay free' : 'won');
      const waitedMs = nowMs - one.sinceMs;
      const seenMs = waitedMs / Math.max(1, turn - one.sinceTurn);
      if (one !== winner) one.awakeAtMs = nowMs + one.rivalry.restMs(waitedMs, undefined, seenMs);
    }
    if (holder !== undefined) Object.assign(holder, { sinceMs: nowMs, sinceTurn: turn, awakeAtMs: nowMs });
    holder = winner;
    // The herd finds its places first.
    if (turn < turns / 4) continue;
    woken += awake.length;
    if (winner !== undefined) taken += 1;
    longestMs = Math.max(longestMs, nowMs - (winner?.sinceMs ?? nowMs));
  }
  const measured = turns - Math.ceil(turns / 4);
  return { awake: woken / measured, used: taken / measured, longestMs };
}

test('one that never lost a race never rests', () => {
  const rivalry = new Rivalry(restMaxMs, () => 0.99);
  for (let i = 0; i < 10; i += 1) {
    expect(rivalry.restMs(0)).toBe(0);
    rivalry.raced('won');
  }
});

test('rests grow with lost races up to their most, and end with the rivalry', () => {
  const rivalry = new Rivalry(restMaxMs, () => 0.999);
  for (let i = 0; i < 40; i += 1) rivalry.raced('lost');
  expect(rivalry.restMs(0)).toBeGreaterThan(restMaxMs / 2);
  expect(rivalry.restMs(0)).toBeLessThan(restMaxMs);
  expect(rivalry.restMs(restMaxMs)).toBe(0);
  for (let i = 0; i < 16; i += 1) rivalry.raced('lay free');
  expect(rivalry.restMs(0)).toBe(0);
});

test('a waiter that has just lost is not there for the next release, at any draw', () => {
  const rivalry = new Rivalry(restMaxMs, () => 0);
  for (let i = 0; i < 40; i += 1) rivalry.raced('lost');
  expect(rivalry.restMs(0)).toBeGreaterThanOrEqual(restMaxMs / 2);
});

test('in a crowd a release that was waited for and won changes nothing, and a key that lay free does', () => {
  const rivalry = new Rivalry(restMaxMs, () => 0.999);
  for (let i = 0; i < 40; i += 1) rivalry.raced('lost');
  const crowded = rivalry.restMs(0);
  for (let i = 0; i < 40; i += 1) rivalry.raced('won');
  expect(rivalry.restMs(0)).toBe(crowded);
  for (let i = 0; i < 3; i += 1) rivalry.raced('lay free');
  const few = rivalry.restMs(0);
  expect(few).toBeLessThan(crowded / 4);
  rivalry.raced('won');
  expect(rivalry.restMs(0)).toBeLessThan(few);
});

test('one that may wait for a moment only looks for at least half of it', () => {
  const rivalry = new Rivalry(restMaxMs, () => 0.999);
  for (let i = 0; i < 40; i += 1) rivalry.raced('lost');
  expect(rivalry.restMs(0, 300)).toBeGreaterThan(100);
  expect(rivalry.restMs(0, 300)).toBeLessThan(150);
  expect(rivalry.restMs(150, 300)).toBe(0);
  expect(rivalry.restMs(0, -5)).toBe(0);
});

test.each([3, 8, 24, 64])(
  'of %i contenders a few are awake for a release, few releases find none, and none is forgotten',
  (contenders) => {
    const { awake, used, longestMs } = contend(contenders, 8_000);
    expect(awake).toBeLessThan(3);
    expect(used).toBeGreaterThan(0.75);
    expect(longestMs).toBeLessThan(1.5 * restMaxMs);
  },
);

test('a crowd that makes its machine slow rests all the same, and is through', () => {
  const { awake, longestMs } = contend(64, 8_000, 3);
  expect(awake).toBeLessThan(4);
  expect(longestMs).toBeLessThan(6_000);
});

test('where one holder takes longer than any rest, no waiter rests after a long wait', () => {
  const rivalry = new Rivalry(restMaxMs, () => 0.999);
  for (let i = 0; i < 40; i += 1) rivalry.raced('lost');
  expect(rivalry.restMs(restMaxMs, undefined, restMaxMs / 4)).toBeGreaterThan(restMaxMs / 2);
  expect(rivalry.restMs(restMaxMs, undefined, restMaxMs)).toBeGreaterThan(restMaxMs / 2);
  expect(rivalry.restMs(restMaxMs, undefined, restMaxMs + 1)).toBe(0);
});

test('without rests all of them are awake', () => {
  const none = new Rivalry(0, () => 0.99);
  none.raced('lost');
  expect(none.restMs(0)).toBe(0);
});
