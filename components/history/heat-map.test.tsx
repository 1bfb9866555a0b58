// @vitest-environment happy-dom
/** The heat map by the keyboard and in words. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import { languages } from '@/lib/i18n/messages';
import type { Heat } from '@/lib/view/history/heat';
import { cellText, HeatMap } from './heat-map';

afterEach(cleanup);

const hour = 3_600_000;
const idle = { heldMs: 0, lost: 0, strength: 0, unseenMs: 0 };
const held = { heldMs: 90_000, lost: 3, strength: 1, unseenMs: 0 };
const columns = [0, 1, 2].map((i) => ({ fromMs: i * hour, toMs: (i + 1) * hour }));
const heat: Heat = {
  columns,
  rows: [
    { name: 'jobs/', cells: [idle, held, idle] },
    { name: null, cells: [idle, idle, idle] },
  ],
};

const map = (onOpen: Parameters<typeof HeatMap>[0]['onOpen'], shown = heat) => (
  <Live view={liveViewOf(snapshotOf({}))}>
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Suspense>
        <HeatMap heat={shown} others="7 more" onOpen={onOpen} />
      </Suspense>
    </ClockProvider>
  </Live>
);
const stops = () => [...document.querySelectorAll<HTMLElement>('[data-cell][tabindex="0"]')];
/** Durations keep their unit on their line. */
const spaced = (text: string) => text.replaceAll('\u00a0', ' ');
const said = () =>
  spaced(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');

test('the map is one stop; arrows move, stay inside, and Enter opens the name and the hour of the cell', async () => {
  const onOpen = vi.fn();
  render(map(onOpen));
  await screen.findByRole('grid');
  expect(stops()).toHaveLength(1);
  stops()[0]?.focus();
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
  press('ArrowRight');
  press('ArrowUp');
  press('ArrowLeft');
  expect(said()).toBe('jobs/, 01-01 01:00 to 01-01 02:00: held 1 min 30 s, 3 lost');
  press('Enter');
  expect(onOpen).toHaveBeenLastCalledWith('jobs/', { fromMs: hour, toMs: 2 * hour });
  press('Home');
  expect(said()).toBe('jobs/');
  press('Enter');
  expect(onOpen).toHaveBeenLastCalledWith('jobs/', null);
  press('ArrowDown');
  press('ArrowDown');
  press('End');
  press('Enter');
  // All others have no name to open.
  expect(onOpen).toHaveBeenLastCalledWith(null, { fromMs: 2 * hour, toMs: 3 * hour });
  press('Home');
  const button = screen.getByRole('button');
  expect(button.getAttribute('aria-disabled')).toBe('true');
  onOpen.mockClear();
  press('Enter');
  fireEvent.click(button);
  fireEvent.click(document.activeElement ?? document.body);
  expect(onOpen).not.toHaveBeenCalled();
  expect(stops()).toHaveLength(1);
});

test('the keyboard stays in the map when the cell that it opened is gone', async () => {
  const { rerender } = render(map(() => {}));
  await screen.findByRole('grid');
  stops()[0]?.focus();
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Enter' });
  rerender(map(() => {}, { columns: columns.slice(1, 2), rows: [{ name: 'jobs/a', cells: [held] }] }));
  expect(said()).toMatch(/^jobs\/a, /);
});

test('columns of one text are two, as the hour that comes twice when clocks go back', async () => {
  const complain = vi.spyOn(console, 'error').mockImplementation(() => {});
  const twice = [0, 500].map((fromMs) => ({ fromMs, toMs: fromMs + 500 }));
  render(map(() => {}, { columns: twice, rows: [{ name: 'jobs/', cells: [idle, held] }] }));
  await screen.findByRole('grid');
  expect(complain).not.toHaveBeenCalled();
  complain.mockRestore();
});

test('a cell that was not watched is not said to be free, and one that was watched in part says which part was not', () => {
  const text = (unseenMs: number, cell = idle) =>
    spaced(cellText('a', { ...cell, unseenMs }, { fromMs: 0, toMs: hour }, 'UTC', languages.en)).replace(
      /^.*: /,
      '',
    );
  expect(text(0)).toBe('not held');
  expect(text(hour)).toBe('not watched');
  expect(text(hour / 2)).toBe('not held, 30 min not watched');
  expect(text(hour / 2, held)).toBe('held 1 min 30 s, 3 lost, 30 min not watched');
});
