// @vitest-environment happy-dom
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type RowWindow, rowPx, useRowWindow } from './window';

const windowPx = 900;
let y = 0;

beforeEach(() => {
  y = 0;
  vi.spyOn(window, 'scrollY', 'get').mockImplementation(() => y);
  vi.spyOn(window, 'innerHeight', 'get').mockReturnValue(windowPx);
  vi.spyOn(window, 'scrollTo').mockImplementation(((_x: number, to: number) => {
    y = to;
  }) as typeof window.scrollTo);
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const body = { current: null };
const keyOf = (index: number) => `row ${index}`;

function listOf(count: number, pinned = -1) {
  return renderHook(
    (props: { count: number; pinned: number }) =>
      useRowWindow({ body, keyOf, held: false, whole: true, ...props }),
    { initialProps: { count, pinned } },
  );
}

const drawnOf = ({ rows }: RowWindow) => rows.map(({ index }) => index);
const nextFrame = () => new Promise((done) => requestAnimationFrame(done));

function scroll(to: number): void {
  act(() => {
    y = to;
    window.dispatchEvent(new Event('scroll'));
  });
}

test.each([0, 1, 500, 36_000, 180_000, 319_100, 320_000])(
  'scrolled to %d pixels, every row that is seen is soon there, in its place, and not many others',
  async (to) => {
    const { result } = listOf(10_000);
    scroll(to);
    expectPlaced(result.current);
    await waitFor(() => {
      const there = new Set(result.current.rows.map(({ index }) => index));
      for (let px = to; px < Math.min(to + windowPx, 10_000 * rowPx); px += 1)
        expect(there.has(Math.floor(px / rowPx))).toBe(true);
    });
    expect(result.current.rows.length).toBeLessThan(60);
    expectPlaced(result.current);
  },
);

/** Every drawn row of 10,000 stands where it would if all were drawn. */
function expectPlaced({ rows, after }: RowWindow): void {
  let end = 0;
  for (const { index, gap } of rows) {
    expect(end + gap).toBe(index * rowPx);
    end += gap + rowPx;
  }
  expect(end + after).toBe(10_000 * rowPx);
}

test('another screen of rows comes in portions, from the top of the window, and what is drawn stays', async () => {
  // A machine that is slow to style rows.
  vi.spyOn(document.documentElement, 'getBoundingClientRect').mockImplementation(() => {
    const until = performance.now() + 20;
    while (performance.now() < until);
    return new DOMRect();
  });
  const { result } = listOf(10_000);
  await waitFor(() => expect(result.current.rows.map(({ index }) => index)).toContain(51));
  await nextFrame();
  const drawn: number[] = [];
  const note = () => void drawn.push(...result.current.rows.map(({ index }) => index));
  scroll(5_000 * rowPx);
  note();
  expect(drawn.length).toBeLessThan(20);
  expect(drawn.slice(0, 5)).toEqual([5_000, 5_001, 5_002, 5_003, 5_004]);
  await waitFor(() => expect(result.current.rows.map(({ index }) => index)).toContain(5_028));
  expect(result.current.rows.map(({ index }) => index)).toEqual(expect.arrayContaining(drawn));
});

test('a list that the browser makes, as after a search that found nothing, comes in portions as well, one in a frame', async () => {
  const { result, rerender } = listOf(10_000);
  const first = drawnOf(result.current);
  expect(first.length).toBeLessThan(20);
  expect(first.slice(0, 3)).toEqual([0, 1, 2]);
  rerender({ count: 10_000, pinned: -1 });
  expect(drawnOf(result.current)).toEqual(first);
  await waitFor(() => expect(drawnOf(result.current)).toContain(28));
});

test('a jump in the frame of the first rows, as to the place of an earlier visit, shows rows where it lands', () => {
  const { result } = listOf(10_000, 0);
  scroll(5_000 * rowPx);
  expect(drawnOf(result.current)).toEqual(expect.arrayContaining([0, 5_000, 5_001, 5_002, 5_003, 5_004]));
});

test('while the page is hidden, and has no frames, rows that come are drawn', () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  vi.spyOn(window, 'requestAnimationFrame').mockReturnValue(0);
  const { result, rerender } = listOf(5);
  for (let count = 6; count <= 25; count += 1) rerender({ count, pinned: -1 });
  expect(drawnOf(result.current)).toHaveLength(25);
});

test('the row that has the focus stays in the document wherever one scrolls', () => {
  const { result, rerender } = listOf(10_000, 3);
  scroll(180_000);
  expect(result.current.rows[0]).toEqual({ index: 3, key: 'row 3', gap: 3 * rowPx });
  rerender({ count: 10_000, pinned: 9_999 });
  expect(result.current.rows.at(-1)?.index).toBe(9_999);
  expect(result.current.after).toBe(0);
});

test('a list that became shorter below the window shows its end', () => {
  const { result, rerender } = listOf(10_000);
  scroll(180_000);
  rerender({ count: 20, pinned: -1 });
  expect(result.current.rows.map(({ index }) => index)).toContain(19);
  rerender({ count: 0, pinned: -1 });
  expect(result.current).toMatchObject({ rows: [], after: 0 });
});

test('to scroll to the row that gets the focus draws it at once, and a row that is seen already moves nothing', () => {
  const { result, rerender } = listOf(10_000);
  act(() => {
    rerender({ count: 10_000, pinned: 5_000 });
    result.current.scrollTo(5_000);
  });
  expect(y).toBe(5_001 * rowPx - windowPx);
  expect(result.current.rows.map(({ index }) => index)).toContain(5_000);
  act(() => result.current.scrollTo(4_990));
  expect(y).toBe(5_001 * rowPx - windowPx);
  act(() => result.current.scrollTo(100));
  expect(y).toBe(100 * rowPx);
});

test('on paper all rows are there, up to a number that says how many more there are, and afterwards those of the window', async () => {
  const { result, rerender } = listOf(300);
  act(() => void window.dispatchEvent(new Event('beforeprint')));
  expect(result.current.rows.map(({ index }) => index)).toEqual(Array.from({ length: 300 }, (_, i) => i));
  expect(result.current.rows.some(({ gap }) => gap > 0)).toBe(false);
  expect(result.current).toMatchObject({ after: 0, unprinted: 0 });
  rerender({ count: 10_000, pinned: -1 });
  expect(result.current.rows).toHaveLength(1_000);
  expect(result.current.unprinted).toBe(9_000);
  act(() => void window.dispatchEvent(new Event('afterprint')));
  expect(result.current.rows.length).toBeLessThan(60);
  expect(result.current.unprinted).toBe(0);
});
