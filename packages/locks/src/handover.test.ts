/** A place's memory of long waiters. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { type Front, Place } from './handover';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

test('of what it read while it waited a place remembers nothing', async () => {
  const place = new Place(createConsulClient(consulSettings({})), 'a/.lock');
  const front = {} as Front;
  const reads: WeakRef<object>[] = [];
  for (let n = 0; n < 5; n += 1) {
    // In a function of its own: a frame keeps its objects until it ends.
    await (async () => {
      const read = { rows: new Array(1_000).fill(n) };
      reads.push(new WeakRef(read));
      await place.inFront(front, Promise.resolve(read));
    })();
  }
  await new Promise((resolve) => setImmediate(resolve));
  gc();
  expect(reads.filter((read) => read.deref() !== undefined).length).toBe(0);
  // It waits still.
  expect(await place.inFront(front, Promise.resolve('next'))).toBe('next');
});
