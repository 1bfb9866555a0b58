// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { lazyPart } from './lazy-part';

test('a part that hangs counts as one that did not come, and is there when it comes after all', async () => {
  vi.useFakeTimers();
  try {
    let come = (_: () => null) => {};
    const part = lazyPart<object>(() => new Promise((resolve) => (come = resolve)));
    const first = part.load();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await first).toBe(false);
    const second = part.load();
    come(() => null);
    await vi.advanceTimersByTimeAsync(0);
    expect(await second).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
