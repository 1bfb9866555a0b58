// @vitest-environment happy-dom
/** The column of the last hour comes by itself, also on a page whose idle moments have passed. */
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { snapshotOf } from '@/components/fixture/world';
import { Hour, HourHead } from './hour';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('its code is fetched and its rows are asked for once the page is live', async () => {
  const column = {
    path: 'M0 16V0H60V16Z',
    heldShare: 1,
    seenMs: 3_600_000,
    waitersMax: null,
    counted: false,
  };
  vi.stubGlobal('fetch', async () =>
    Response.json({ at: 0, off: false, awaySinceMs: null, columns: { 'lock:a': column } }),
  );
  render(
    <Live view={liveViewOf(snapshotOf({}))}>
      <HourHead />
      <Hour subject="lock:a" />
    </Live>,
  );
  expect(screen.getByText('last hour')).toBeTruthy();
  expect(
    await screen.findByRole('img', { name: 'Held 100 % of the last hour' }, { timeout: 5_000 }),
  ).toBeTruthy();
});
