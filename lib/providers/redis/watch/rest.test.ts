import { expect, test } from 'vitest';
import { createRest } from './rest';

/** What Node keeps at a signal: its listeners, and references to signals that follow it. */
const keptAt = (signal: AbortSignal): number =>
  Object.getOwnPropertySymbols(signal)
    .map((name) => Reflect.get(signal, name))
    .reduce((sum, one) => sum + (one instanceof Set || one instanceof Map ? one.size : 0), 0);

test('a rest leaves nothing at the signal of the watch, whatever ended it', async () => {
  const end = new AbortController();
  const { rest, wake } = createRest();
  await rest(1, end.signal);
  const before = keptAt(end.signal);
  for (let i = 0; i < 100; i += 1) {
    const resting = rest(60_000, end.signal);
    wake();
    await resting;
    await rest(0, end.signal);
  }
  expect(keptAt(end.signal)).toBe(before);
});

test('a push ends a rest, also the next one if nobody rests, and an abort ends each', async () => {
  const end = new AbortController();
  const { rest, wake } = createRest();
  wake();
  await rest(60_000, end.signal);
  const resting = rest(60_000, end.signal);
  end.abort();
  await resting;
  await rest(60_000, end.signal);
});
