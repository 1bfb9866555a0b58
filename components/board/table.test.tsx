// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { lockOf, snapshotOf } from '@/components/fixture/world';
import { rowPx } from '@/components/list/window';
import { rowsOf } from '@/lib/view/board-rows';
import { Table } from './table';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const nothing = () => {};

// Fifty rows take a simulated document some seconds on a busy machine.
test('a row that is still seen after a scroll is the same element, with the focus that it has', {
  timeout: 60_000,
}, () => {
  let y = 0;
  vi.spyOn(window, 'scrollY', 'get').mockImplementation(() => y);
  vi.spyOn(window, 'innerHeight', 'get').mockReturnValue(900);
  const locks = Array.from({ length: 200 }, (_, i) => lockOf(`l-${String(i).padStart(3, '0')}`));
  const rows = rowsOf(snapshotOf({ locks })).map((row) => ({ row, gone: false, placed: row }));
  const steady = { rows, changes: 0, held: false, hold: nothing, release: nothing, applyNow: nothing };
  render(<Table steady={steady} grouped={false} closed={[]} groups={undefined} onToggle={nothing} whole />);
  const row = (i: number) => document.querySelector<HTMLElement>(`[data-row="lock:l-0${i}"]`);
  const before = row(45);
  before?.querySelector<HTMLElement>('[data-walk]')?.focus();
  expect(before?.contains(document.activeElement)).toBe(true);
  act(() => {
    y = 40 * rowPx;
    window.dispatchEvent(new Event('scroll'));
  });
  expect(row(60)).not.toBeNull();
  expect(row(10)).toBeNull();
  expect(row(45) === before).toBe(true);
  expect(before?.contains(document.activeElement)).toBe(true);
});
