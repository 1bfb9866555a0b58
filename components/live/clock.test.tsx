// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const minute = 60_000;
const serverMs = Date.UTC(2026, 10, 22, 12, 0, 0);
let serverClock: typeof import('@/lib/client/server-clock').serverClock;

beforeEach(() => {
  vi.useFakeTimers({ now: serverMs });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/**
 * The clock of a page in a browser that is `aheadMs` ahead, drawn by the server `loadMs` ago. The heard time
 * lives as long as the module, so each page loads its own.
 */
async function pageOf(aheadMs: number, { loadMs = 300, stoppedMs = null as number | null } = {}) {
  vi.setSystemTime(serverMs + aheadMs);
  vi.resetModules();
  const { ClockProvider, StoppedClock, useNow } = await import('./clock');
  ({ serverClock } = await import('@/lib/client/server-clock'));
  let shownMs = 0;
  const Show = () => {
    shownMs = useNow();
    return null;
  };
  render(
    <ClockProvider first={{ nowMs: serverMs - loadMs, zone: 'UTC' }}>
      <StoppedClock atMs={stoppedMs}>
        <Show />
      </StoppedClock>
    </ClockProvider>,
  );
  return () => shownMs;
}
const seconds = (count: number) => act(() => vi.advanceTimersByTimeAsync(count * 1_000));

test.each([minute, -minute])(
  'a page of a browser that is %i ms ahead shows the server’s time from its first picture on',
  async (aheadMs) => {
    const shown = await pageOf(aheadMs);
    expect(Math.abs(shown() - serverMs)).toBeLessThanOrEqual(1_300);
    await seconds(5);
    expect(Math.abs(shown() - (serverMs + 5_000))).toBeLessThanOrEqual(1_300);
    serverClock.hear(serverMs + 5_000);
    await seconds(1);
    expect(Math.abs(shown() - (serverMs + 6_000))).toBeLessThanOrEqual(1_000);
  },
);

test('where clocks agree, a page that took seconds to load shows the time and not when it was drawn', async () => {
  const shown = await pageOf(0, { loadMs: 6_000 });
  expect(shown()).toBe(serverMs);
  await seconds(3);
  expect(shown()).toBe(serverMs + 3_000);
});

test('a difference that is smaller than a load takes is known with the first ping', async () => {
  const shown = await pageOf(-4_000);
  expect(shown()).toBe(serverMs - 4_000);
  serverClock.hear(serverMs);
  await seconds(1);
  expect(shown()).toBe(serverMs + 1_000);
});

test('a stopped page keeps its time, at any news', async () => {
  const shown = await pageOf(minute, { stoppedMs: serverMs - 5_000 });
  serverClock.hear(serverMs);
  await seconds(3);
  expect(shown()).toBe(serverMs - 5_000);
});
