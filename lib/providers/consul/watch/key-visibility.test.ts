import { expect, test } from 'vitest';
import { newWholeKnown, wholeNow } from './key-visibility';

/** Answers in turn, and counts the requests. */
function asks(...answers: (boolean | null)[]) {
  let count = 0;
  const ask = async () => answers[count++] ?? null;
  return { ask, count: () => count };
}

test('a token that may read every key is asked about again after half a minute, and with the next look alone', async () => {
  const known = newWholeKnown();
  const { ask, count } = asks(true, false);
  expect(await wholeNow(known, ask, 1_000)).toEqual({ isWhole: true, askAtMs: null });
  expect(await wholeNow(known, ask, 30_999)).toEqual({ isWhole: true, askAtMs: null });
  expect(count()).toBe(1);
  expect(await wholeNow(known, ask, 31_000)).toEqual({ isWhole: false, askAtMs: 61_000 });
});

test('a token without the right is asked about again in time', async () => {
  const known = newWholeKnown();
  const { ask, count } = asks(false, true);
  expect(await wholeNow(known, ask, 1_000)).toEqual({ isWhole: false, askAtMs: 31_000 });
  expect(await wholeNow(known, ask, 2_000)).toEqual({ isWhole: false, askAtMs: 31_000 });
  expect(count()).toBe(1);
  expect(await wholeNow(known, ask, 31_000)).toEqual({ isWhole: true, askAtMs: null });
});

test('where nothing can be asked what was known holds no longer than it would, and is asked for as soon as it can be', async () => {
  const known = newWholeKnown();
  const { ask } = asks(true, true);
  expect(await wholeNow(known, null, 0)).toEqual({ isWhole: false, askAtMs: null });
  expect(await wholeNow(known, ask, 1_000)).toMatchObject({ isWhole: true });
  expect(await wholeNow(known, null, 2_000)).toMatchObject({ isWhole: true });
  expect(await wholeNow(known, null, 31_000)).toMatchObject({ isWhole: false });
  expect(await wholeNow(known, ask, 31_001)).toMatchObject({ isWhole: true });
});

test('a question without an answer takes nothing back for two minutes, and proves nothing', async () => {
  const known = newWholeKnown();
  const { ask } = asks(null, true, null, null, null, null);
  expect(await wholeNow(known, ask, 0)).toEqual({ isWhole: false, askAtMs: 30_000 });
  expect(await wholeNow(known, ask, 30_000)).toMatchObject({ isWhole: true });
  for (const nowMs of [60_000, 90_000, 120_000])
    expect(await wholeNow(known, ask, nowMs)).toMatchObject({ isWhole: true });
  expect(await wholeNow(known, ask, 150_000)).toEqual({ isWhole: false, askAtMs: 180_000 });
});
