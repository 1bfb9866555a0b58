import { afterEach, expect, test, vi } from 'vitest';
import { lockOf } from '@/components/fixture/world';
import type { Lock } from '@/lib/domain/model';
import { makeAhead } from './search-index';

afterEach(() => vi.unstubAllGlobals());

test('the work ahead gets done although the list is another one at each idle moment', () => {
  const idle: (() => void)[] = [];
  vi.stubGlobal('requestIdleCallback', (step: () => void) => idle.push(step));
  vi.stubGlobal('cancelIdleCallback', () => idle.splice(0));
  const locks = Array.from({ length: 1000 }, (_, i) => lockOf(`made/ahead-${i}`));
  // Making an entry reads the key; finding it made does not.
  let read = 0;
  const watched = locks.map(
    (lock) =>
      new Proxy(lock, {
        get: (of, name) => {
          if (name === 'key') read += 1;
          return Reflect.get(of, name);
        },
      }) as Lock,
  );
  for (let moment = 0; moment < 20; moment += 1) {
    const stop = makeAhead([...watched]);
    idle.shift()?.();
    stop();
  }
  const readInAll = read;
  expect(readInAll).toBeGreaterThanOrEqual(watched.length);
  const stop = makeAhead([...watched]);
  while (idle.length > 0) idle.shift()?.();
  stop();
  expect(read).toBe(readInAll);
});
