// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react';
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

/** The browser says which visit of a page this is. */
function visit(key: string): void {
  Object.defineProperty(window, 'navigation', { configurable: true, value: { currentEntry: { key } } });
}

/** A list of these rows, on a page that has just come. What an earlier page of the tab has in memory is gone. */
async function listOf(ids: readonly string[], whole = true) {
  vi.resetModules();
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
    { initialProps: { ids, whole } },
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

test('whoever has moved meanwhile stays where they are', async () => {
  const list = await listOf(rows);
  scroll(margin + 300 * rowHeight);
  leave(list);
  const again = await listOf(rows.slice(0, 60), false);
  window.dispatchEvent(new Event('wheel'));
  again.rerender({ ids: rows, whole: true });
  expect(y).toBe(0);
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
