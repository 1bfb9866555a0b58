// @vitest-environment happy-dom
/** The column of the last hour comes by itself, also on a page whose idle moments have passed. */
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { snapshotOf } from '@/components/fixture/world';
import { FreezeContext, type Frozen } from '@/components/live/frozen';
import { Hour, HourHead } from './hour';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const column = { path: 'M0 16V0H60V16Z', heldShare: 1, seenMs: 3_600_000, waitersMax: null, counted: false };
const words = 'Held 100 % of the last hour';

function open({ isBroad, frozen }: { isBroad: boolean; frozen: Frozen | null }) {
  const asked = vi.fn(async () =>
    Response.json({ at: 0, off: false, awaySinceMs: null, columns: { 'lock:a': column } }),
  );
  vi.stubGlobal('fetch', asked);
  vi.stubGlobal('matchMedia', () => ({
    matches: isBroad,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  const view = liveViewOf(snapshotOf({}));
  const page = (at: Frozen | null) => (
    <FreezeContext value={{ frozen: at, pastMs: null, toggle: () => {}, go: () => {} }}>
      <Live view={view}>
        <HourHead />
        <Hour subject="lock:a" />
      </Live>
    </FreezeContext>
  );
  const { rerender } = render(page(frozen));
  return { asked, turn: (at: Frozen | null) => rerender(page(at)) };
}

const moment: Frozen = { askedMs: 1, takenMs: 1, snapshot: snapshotOf({}) };

test('its code is fetched and its rows are asked for once the page is live', async () => {
  open({ isBroad: true, frozen: null });
  expect(screen.getByText('last hour')).toBeTruthy();
  expect(await screen.findByRole('img', { name: words }, { timeout: 5_000 })).toBeTruthy();
});

test('beside a frozen board the hour that goes on is not drawn, and comes back with the present', async () => {
  const { turn } = open({ isBroad: true, frozen: null });
  await screen.findByRole('img', { name: words }, { timeout: 5_000 });
  turn(moment);
  expect(screen.queryByRole('img')).toBe(null);
  turn(null);
  expect(await screen.findByRole('img', { name: words })).toBeTruthy();
});

test('where the column has no place, nothing is asked for it', async () => {
  // Its code is here since the tests above.
  vi.useFakeTimers();
  const { asked } = open({ isBroad: false, frozen: null });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).not.toHaveBeenCalled();
  expect(screen.queryByRole('img')).toBe(null);
});
