// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react';
import { StrictMode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const rowHeight = 32;
const margin = 200;
let y = 0;

beforeEach(() => {
  y = 0;
  sessionStorage.clear();
  vi.resetModules();
  vi.spyOn(window, 'scrollY', 'get').mockImplementation(() => y);
  vi.spyOn(window, 'scrollTo').mockImplementation(((_x: number, to: number) => {
    y = to;
  }) as typeof window.scrollTo);
  visit('one');
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  Reflect.deleteProperty(window, 'navigation');
});

/** The browser names the visit of a page. */
function visit(key: string, path = '/'): void {
  window.history.replaceState(null, '', path);
  Object.defineProperty(window, 'navigation', { configurable: true, value: { currentEntry: { key } } });
}

/** A list of these rows on a loaded page. The memory of the tab's earlier page is gone. */
async function listOf(ids: readonly string[], whole = true, wrapper?: typeof StrictMode) {
  vi.resetModules();
  return listGoneTo(ids, whole, wrapper);
}

/** The same without a page load: from one list to another. */
async function listGoneTo(ids: readonly string[], whole = true, wrapper?: typeof StrictMode) {
  const [{ useKeptPlace }, { Places }] = await Promise.all([import('./kept-place'), import('./places')]);
  const places = new Places(rowHeight);
  return renderHook(
    (props: { ids: readonly string[]; whole: boolean }) => {
      const keyOf = (index: number) => props.ids[index] ?? index;
      places.set(props.ids.length, keyOf);
      useKeptPlace({
        places,
        count: props.ids.length,
        keyOf,
        margin,
        whole: props.whole,
        measured: 0,
        draw: () => {},
      });
    },
    { initialProps: { ids, whole }, ...(wrapper === undefined ? {} : { wrapper }) },
  );
}

function scroll(to: number): void {
  y = to;
  act(() => void window.dispatchEvent(new Event('scroll')));
}

function leave(list: { unmount: () => void }): void {
  act(() => void window.dispatchEvent(new Event('pagehide')));
  list.unmount();
  y = 0;
}

const rows = Array.from({ length: 500 }, (_, n) => `lock:${n}`);

test('a list that comes again begins where it was left, by the row and not by pixels', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight + 7);
  leave(list);
  await listOf(['lock:new', ...rows]);
  expect(y).toBe(margin + 301 * rowHeight + 7);
});

test('with the first rows only nothing moves; it does when all are here', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  leave(list);
  const again = await listOf(rows.slice(0, 60), false);
  expect(y).toBe(0);
  again.rerender({ ids: rows, whole: true });
  expect(y).toBe(margin + 300 * rowHeight);
});

test('a person who has moved meanwhile stays there', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  leave(list);
  const again = await listOf(rows.slice(0, 60), false);
  window.dispatchEvent(new Event('wheel'));
  again.rerender({ ids: rows, whole: true });
  expect(y).toBe(0);
});

const press = (init: KeyboardEventInit) => window.dispatchEvent(new KeyboardEvent('keydown', init));

test('keys that do not move a page, as those of a reload, keep its place; those that move it do not', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  leave(list);
  const again = await listOf(rows.slice(0, 60), false);
  for (const key of ['Control', 'Shift', 'Alt', 'Meta', 'F5']) press({ key });
  press({ key: 'F5', repeat: true });
  press({ key: 'r', ctrlKey: true });
  press({ key: 'r', metaKey: true });
  press({ key: 'ArrowLeft', altKey: true });
  again.rerender({ ids: rows, whole: true });
  expect(y).toBe(margin + 300 * rowHeight);
  leave(again);
  for (const init of [{ key: 'ArrowDown', repeat: true }, { key: 'End', ctrlKey: true }, { key: 'j' }]) {
    visit('one');
    const once = await listOf(rows.slice(0, 60), false);
    press(init);
    once.rerender({ ids: rows, whole: true });
    expect(y).toBe(0);
    // The page stays, and the stored place would carry over to the next key.
    once.unmount();
  }
});

test('a step back from one list to another restores the row, though the browser scrolls the list that still stands', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  visit('two', '/sessions');
  list.unmount();
  y = 0;
  const sessions = await listGoneTo(Array.from({ length: 200 }, (_, n) => `session:${n}`));
  scroll(margin + 40 * rowHeight);
  visit('one', '/');
  scroll(margin + 190 * rowHeight);
  sessions.unmount();
  await listGoneTo(rows);
  expect(y).toBe(margin + 300 * rowHeight);
});

test('a place that was gone to is let go of after a moment, also where effects run twice', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  leave(list);
  vi.useFakeTimers();
  try {
    await listOf(rows, true, StrictMode);
    expect(y).toBe(margin + 300 * rowHeight);
    scroll(0);
    expect(y).toBe(margin + 300 * rowHeight);
    vi.runAllTimers();
    scroll(0);
    expect(y).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a step back from a search restores the list's row, and a step ahead the one in the results", async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  // The search is a visit of its own, with fewer results.
  visit('two');
  list.rerender({ ids: rows.slice(200, 260), whole: true });
  scroll(margin + 20 * rowHeight);
  visit('one');
  // The browser scrolls before the list has followed.
  scroll(margin + 50 * rowHeight);
  list.rerender({ ids: rows, whole: true });
  expect(y).toBe(margin + 300 * rowHeight);
  visit('two');
  list.rerender({ ids: rows.slice(200, 260), whole: true });
  expect(y).toBe(margin + 20 * rowHeight);
});

test('a step back from a search restores the row also when the list follows late, and gives up when it never does', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  visit('two');
  list.rerender({ ids: rows.slice(0, 60), whole: true });
  scroll(0);
  vi.useFakeTimers();
  try {
    visit('one');
    scroll(margin);
    vi.advanceTimersByTime(2_000);
    list.rerender({ ids: rows, whole: true });
    expect(y).toBe(margin + 300 * rowHeight);
    vi.runAllTimers();
    visit('two');
    list.rerender({ ids: rows.slice(0, 60), whole: true });
    visit('one');
    scroll(margin);
    vi.runAllTimers();
    list.rerender({ ids: rows, whole: true });
    scroll(0);
    expect(y).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('another visit of the same page begins at its top', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  leave(list);
  visit('two');
  await listOf(rows);
  expect(y).toBe(0);
});

test('no id of anything that Consul holds is left in the tab', async () => {
  const list = await listOf(rows.map((id) => `${id}-secret`));
  scroll(margin + 300 * rowHeight);
  leave(list);
  const stored = JSON.stringify({ ...sessionStorage });
  expect(stored).toContain('300');
  expect(stored).not.toContain('secret');
});

test('a sign-out leaves no place in the tab, neither at once nor when the page goes', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  act(() => void window.dispatchEvent(new Event('pagehide')));
  const stored = () => JSON.stringify({ ...sessionStorage });
  expect(stored()).toContain('300');
  list.unmount();
  const { forgetPlaces } = await import('@/components/dom/visits');
  forgetPlaces();
  expect(stored()).not.toContain('300');
  leave(list);
  expect(stored()).not.toContain('300');
});
