import { expect, test } from 'vitest';
import { finish, runInSlices, type Steps } from './sliced-work';

function* counting(to: number, units: number): Steps<number> {
  let count = 0;
  for (; count < to; count += 1) yield units;
  return count;
}

test('little work is done at once, without a pause', () => {
  expect(runInSlices(counting(400, 1), () => Promise.reject(new Error('paused')))).toBe(400);
  expect(finish(counting(10_000, 1))).toBe(10_000);
});

test('much work pauses after each slice, by what it says it has done', async () => {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  expect(await runInSlices(counting(2_600, 1), pause)).toBe(2_600);
  expect(pauses).toBe(5);
  expect(await runInSlices(counting(10, 5_000), pause)).toBe(10);
  expect(pauses).toBe(15);
});

test('a failure after a pause rejects', async () => {
  function* failing(): Steps<never> {
    yield* counting(600, 1);
    throw new Error('a bug');
  }
  await expect(runInSlices(failing(), async () => {})).rejects.toThrow('a bug');
});
