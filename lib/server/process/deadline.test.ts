/** A deadline that passes although garbage was collected meanwhile. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { within } from './deadline';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

const reasonOf = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });

test('the time is over for every waiter, also after garbage was collected', async () => {
  const end = new AbortController();
  const waiting = Array.from({ length: 20 }, () => reasonOf(within(150, end.signal)));
  // In a turn of its own, as objects made in a turn live until its end.
  await new Promise((resolve) => setImmediate(resolve));
  gc();
  for (const reason of await Promise.all(waiting)) expect(reason).toMatchObject({ name: 'TimeoutError' });
});

test('a signal ends it sooner, with its own reason', async () => {
  const end = new AbortController();
  const reason = reasonOf(within(60_000, end.signal));
  end.abort(new Error('left'));
  expect(await reason).toMatchObject({ message: 'left' });
  expect(within(60_000, end.signal).aborted).toBe(true);
});
