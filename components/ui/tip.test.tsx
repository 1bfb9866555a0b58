// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Button } from './button';
import { Explained, Tip } from './tip';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** A browser's events for a tap, in its order. */
function tap(element: Element) {
  const touch = { pointerType: 'touch', bubbles: true };
  fireEvent.pointerOver(element, touch);
  fireEvent.pointerDown(element, touch);
  fireEvent.pointerUp(element, touch);
  fireEvent.pointerLeave(element, touch);
  fireEvent.click(element);
}

const shown = () => screen.queryByRole('tooltip')?.textContent ?? null;

function show(children: React.ReactElement<object>) {
  render(<Tip text="the reason">{children}</Tip>);
  return screen.getByRole('button');
}

test('a finger that taps what is switched off reads why, for as long as it likes', () => {
  vi.useFakeTimers();
  const button = show(<Button aria-disabled={true}>Release</Button>);
  tap(button);
  act(() => void vi.advanceTimersByTime(5000));
  expect(shown()).toBe('the reason');
  expect(document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'the reason',
  );
  // To read it one may touch it.
  tap(screen.getByRole('tooltip'));
  act(() => void vi.advanceTimersByTime(5000));
  expect(shown()).toBe('the reason');
});

test('an element that only explains does so at a tap', () => {
  render(<Explained text="what it is">slots</Explained>);
  tap(screen.getByRole('button'));
  expect(shown()).toBe('what it is');
});

test('a button that acts when it is tapped shows no tip over what it opens', () => {
  const pressed = vi.fn();
  tap(show(<Button onClick={pressed}>Release</Button>));
  expect(pressed).toHaveBeenCalledOnce();
  expect(shown()).toBeNull();
});

test('a mouse that leaves takes the tip with it, after the time that it needs to get there', () => {
  vi.useFakeTimers();
  const button = show(<Button>Release</Button>);
  fireEvent.pointerOver(button, { pointerType: 'mouse', bubbles: true });
  act(() => void vi.advanceTimersByTime(1000));
  expect(shown()).toBe('the reason');
  fireEvent.pointerOut(button, { pointerType: 'mouse', bubbles: true, relatedTarget: document.body });
  act(() => void vi.advanceTimersByTime(1000));
  expect(shown()).toBeNull();
});
