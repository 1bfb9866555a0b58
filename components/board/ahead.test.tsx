// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { putAddress } from '@/components/fixture/address';
import { Live, liveViewOf } from '@/components/fixture/live';
import { lockOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import { AheadContext } from '@/components/live/first-part';
import { openingOf } from '@/lib/view/board/opening';
import type { AddressQuery } from '@/lib/view/board/parameters';
import { Board } from './board';

vi.mock('@/components/sharing/share-button', () => ({ ShareButton: () => null }));
vi.mock('@/components/list/views', () => ({ Views: () => null }));
vi.mock('@/components/live/freeze', () => ({ FreezeButton: () => null }));

afterEach(cleanup);
// Some hundred rows are drawn, which a busy machine does slowly.
vi.setConfig({ testTimeout: 30_000 });

const whole = snapshotOf({
  locks: Array.from({ length: 240 }, (_, i) => lockOf(`jobs/lock-${String(i).padStart(3, '0')}`)),
  sessions: Array.from({ length: 80 }, (_, i) => sessionOf(i, { name: 'nightly' })),
});

/** The board as it stands in the document of a large world. */
function show(asked: AddressQuery) {
  putAddress(`?${new URLSearchParams(asked as Record<string, string>)}`);
  const { snapshot, ahead } = openingOf(whole, { what: 'board', asked });
  const view = liveViewOf(snapshot);
  render(
    <Live view={view}>
      <AheadContext value={ahead}>
        <Board asked={asked} />
      </AheadContext>
    </Live>,
  );
  return { bring: () => act(() => view.snapshot.set(structuredClone(whole))) };
}
const chip = (name: string) => screen.getByText(name, { selector: 'fieldset button' });

test('the first rows of a large world say how many there are', () => {
  show({});
  expect(screen.getByText(/^The first 60 of 240/)).toBeTruthy();
  expect(chip('Locks').textContent).toContain('240');
});

test('of another query than the first rows were chosen by, nothing is said before the world is here', async () => {
  const { bring } = show({});
  await act(async () => fireEvent.click(chip('Semaphores')));
  expect(screen.getByText('Reading locks and sessions…')).toBeTruthy();
  expect(screen.queryByText(/^The first/)).toBeNull();
  expect(chip('Locks').textContent).not.toMatch(/\d/);
  bring();
  expect(screen.getByText('0 of 240 shown.')).toBeTruthy();
  expect(chip('Locks').textContent).toContain('240');
});

test('where only sessions match, all of them are counted', () => {
  show({ q: 'nightly' });
  expect(screen.getByText(/80 sessions do/)).toBeTruthy();
});

test('the rest of the world reaches a list under the pointer', () => {
  const { bring } = show({});
  const row = document.querySelector('tbody td');
  if (row === null) throw new Error('no row is there');
  fireEvent.pointerMove(row, { pointerType: 'mouse' });
  bring();
  expect(screen.getByText(/^240 shown\./)).toBeTruthy();
  expect(screen.queryByText(/180/, { selector: 'button' })).toBeNull();
});
