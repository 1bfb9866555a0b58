// @vitest-environment happy-dom
/** How a drawn timeline is zoomed and moved: by wheel, by two fingers, by dragging and by keys. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClockProvider } from '@/components/live/clock';
import { languages } from '@/lib/i18n/messages';
import { type TimeRange, timelineOf } from '@/lib/view/history/timeline';
import { Drawing } from './drawing';

const nowMs = 1_000_000_000;
const range = { fromMs: nowMs - 4_000_000, toMs: nowMs - 3_000_000 };

beforeEach(() => {
  // It has no layout here: 1,000 pixels wide, so that a pixel is a second.
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 1_000, 60));
  // Nothing captures a pointer that no browser made.
  vi.spyOn(Element.prototype, 'setPointerCapture').mockReturnValue();
  vi.spyOn(Element.prototype, 'hasPointerCapture').mockReturnValue(false);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function drawn() {
  const went: TimeRange[] = [];
  const history = { episodes: [], waits: [], findings: [], limits: [], gaps: [] };
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Drawing
        words={languages.en}
        timeline={timelineOf(history, range, nowMs)}
        name="leader"
        nowMs={nowMs}
        named
        queues={false}
        onRange={(next) => went.push(next)}
      />
    </ClockProvider>,
  );
  return { svg: screen.getByRole('application'), went };
}

const pointer = (svg: Element, type: string, pointerId: number, clientX: number) =>
  fireEvent(svg, new PointerEvent(type, { bubbles: true, button: 0, pointerId, clientX }));

test('a wheel with Ctrl zooms around the pointer, and one without scrolls the page', () => {
  const { svg, went } = drawn();
  const wheel = (deltaY: number, ctrlKey = true) => {
    // The document here knows no keys of a wheel.
    const event = new MouseEvent('wheel', { bubbles: true, cancelable: true, clientX: 500, ctrlKey });
    fireEvent(svg, Object.assign(event, { deltaY }));
    return event.defaultPrevented;
  };
  expect(wheel(-1, false)).toBe(false);
  expect(went).toEqual([]);
  expect(wheel(-1)).toBe(true);
  expect(went).toEqual([{ fromMs: range.fromMs + 100_000, toMs: range.toMs - 100_000 }]);
  wheel(1);
  expect(went.at(-1)).toEqual({ fromMs: range.fromMs - 125_000, toMs: range.toMs + 125_000 });
});

test('two fingers that part zoom around their middle, and one that drags moves', () => {
  const { svg, went } = drawn();
  pointer(svg, 'pointerdown', 1, 400);
  pointer(svg, 'pointerdown', 2, 600);
  pointer(svg, 'pointermove', 1, 300);
  pointer(svg, 'pointermove', 2, 700);
  const last = went.at(-1) ?? range;
  expect(last.toMs - last.fromMs).toBe(500_000);
  pointer(svg, 'pointerup', 2, 700);
  pointer(svg, 'pointerup', 1, 300);
  pointer(svg, 'pointerdown', 1, 400);
  pointer(svg, 'pointermove', 1, 500);
  expect(went.at(-1)).toEqual({ fromMs: range.fromMs - 100_000, toMs: range.toMs - 100_000 });
});

test('plus and minus zoom, Page Up and Page Down move, and the text beside it names wheel and pinch', () => {
  const { svg, went } = drawn();
  for (const key of ['+', '-', 'PageUp', 'PageDown']) fireEvent.keyDown(svg, { key });
  expect(went.map(({ fromMs, toMs }) => [fromMs - range.fromMs, toMs - range.toMs])).toEqual([
    [500_000, 0],
    [-1_000_000, 0],
    [-500_000, -500_000],
    [500_000, 500_000],
  ]);
  expect(screen.getByText(/Ctrl \+ wheel or a pinch zooms/)).toBeTruthy();
  fireEvent.keyDown(svg, { key: '+', ctrlKey: true });
  expect(went).toHaveLength(4);
});
