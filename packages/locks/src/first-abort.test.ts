import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { withEnding } from './first-abort';

test('the work ends with whichever of its signals ends, and with that reason, also where it has ended before', async () => {
  for (const before of [true, false]) {
    const [one, other] = [new AbortController(), new AbortController()];
    if (before) other.abort(new Error('left'));
    const work = withEnding([one.signal, other.signal], async (ended) => {
      if (!before) other.abort(new Error('left'));
      return ended.reason;
    });
    expect(await work).toMatchObject({ message: 'left' });
  }
});

test('a signal remembers none of its earlier waiters, however they ended', async () => {
  const lives = new AbortController();
  const listeners = () => getEventListeners(lives.signal, 'abort').length;
  let within = 0;
  const work = async () => {
    within = listeners();
    throw new Error('no');
  };
  for (let n = 0; n < 3; n += 1) {
    await expect(withEnding([lives.signal, new AbortController().signal], work)).rejects.toThrow('no');
    expect([within, listeners()]).toEqual([1, 0]);
  }
});
