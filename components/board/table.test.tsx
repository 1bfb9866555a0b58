// @vitest-environment happy-dom
import { act, cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { ghostFinding, lockOf, semaphoreOf, snapshotOf } from '@/components/fixture/world';
import { rowPx } from '@/components/list/window';
import { rowsOf } from '@/lib/view/board-rows';
import { itemsOf, Table } from './table';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const nothing = () => {};

// Fifty rows take a simulated document some seconds on a busy machine.
test('a row that is still seen after a scroll is the same element, with the focus that it has', {
  timeout: 60_000,
}, async () => {
  let y = 0;
  vi.spyOn(window, 'scrollY', 'get').mockImplementation(() => y);
  vi.spyOn(window, 'innerHeight', 'get').mockReturnValue(900);
  const locks = Array.from({ length: 200 }, (_, i) => lockOf(`l-${String(i).padStart(3, '0')}`));
  const snapshot = snapshotOf({ locks });
  const rows = rowsOf(snapshot).map((row) => ({ row, gone: false, placed: row }));
  const steady = { rows, changes: 0, held: false, hold: nothing, release: nothing, applyNow: nothing };
  render(
    <Live view={liveViewOf(snapshot)}>
      <Table steady={steady} grouped={false} closed={[]} groups={undefined} onToggle={nothing} whole />
    </Live>,
  );
  const row = (i: number) => document.querySelector<HTMLElement>(`[data-row="lock:l-0${i}"]`);
  await waitFor(() => expect(row(45)).not.toBeNull());
  const before = row(45);
  before?.querySelector<HTMLElement>('[data-walk]')?.focus();
  expect(before?.contains(document.activeElement)).toBe(true);
  act(() => {
    y = 40 * rowPx;
    window.dispatchEvent(new Event('scroll'));
  });
  await waitFor(() => expect(row(60)).not.toBeNull());
  expect(row(10)).toBeNull();
  expect(row(45) === before).toBe(true);
  expect(before?.contains(document.activeElement)).toBe(true);
});

test('the head of a group is as severe as its worst row', () => {
  const semaphores = ['a/one', 'a/two', 'b/one'].map((prefix) => semaphoreOf(prefix));
  const findings = [
    ghostFinding('a/one', 'warning'),
    ghostFinding('a/two'),
    ghostFinding('b/one', 'warning'),
  ];
  const rows = rowsOf(snapshotOf({ semaphores, findings })).map((row) => ({ row, gone: false, placed: row }));
  const heads = itemsOf(rows, true, new Set()).flatMap((item) => (item.kind === 'group' ? item.group : []));
  expect(heads).toMatchObject([
    { name: 'a/', needs: 2, urgent: true },
    { name: 'b/', needs: 1, urgent: false },
  ]);
});
