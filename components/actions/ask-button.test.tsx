// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { AskButton } from './ask-button';

afterEach(cleanup);

/** A button that stands for the holder of a lock, whoever that is. */
function show() {
  const asked: string[] = [];
  const button = (holder: string) => (
    <AskButton text="Release l" reason={null} bound={holder} onAsk={() => asked.push(holder)} />
  );
  const { rerender } = render(button('a'));
  const element = screen.getByRole('button');
  return {
    asked,
    element,
    passOn: () => rerender(button('b')),
    /** Done by a person now; the browser hands it out when `deliver` is called. */
    input: (type: string, detail: number) => {
      const event = new MouseEvent(type, { bubbles: true, cancelable: true, detail });
      return { deliver: () => act(() => void element.dispatchEvent(event)) };
    },
  };
}

test('a press that waits in the queue while the lock passes on does not reach the next holder', () => {
  const { asked, element, input, passOn } = show();
  const byKey = input('click', 0);
  passOn();
  byKey.deliver();
  expect(asked).toEqual([]);
  fireEvent.click(element);
  expect(asked).toEqual(['b']);
});

test('a press that began before the lock passed on, and ends after it, is dropped as well', () => {
  const { asked, input, passOn } = show();
  const down = input('pointerdown', 0);
  down.deliver();
  passOn();
  input('click', 1).deliver();
  expect(asked).toEqual([]);
  input('pointerdown', 0).deliver();
  input('click', 1).deliver();
  expect(asked).toEqual(['b']);
});
