// @vitest-environment happy-dom
import { cleanup, fireEvent, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { setSingleKeys } from '@/components/dom/keys';
import { stepOf, useWayIn } from './list-keys';

afterEach(() => {
  setSingleKeys(true);
  cleanup();
});

test.each([
  ['ArrowDown', 0, 1],
  ['j', 4, 5],
  ['j', 9, 9],
  ['ArrowUp', 0, 0],
  ['k', 4, 3],
  ['PageDown', 0, 5],
  ['PageDown', 8, 9],
  ['PageUp', 7, 2],
  ['Home', 7, 0],
  ['End', 0, 9],
])('%s leads from row %d to row %d of ten', (key, from, to) => {
  expect(stepOf(key, from, 10, 5)).toBe(to);
});

test.each(['Enter', 'Tab', 'm', 'a', ' ', 'Escape'])('%s is no step', (key) => {
  expect(stepOf(key, 0, 10, 5)).toBeNull();
});

test('the letter that leads into a list is off where single letters are off; the arrow is not', () => {
  const enter = vi.fn();
  renderHook(() => useWayIn(enter));
  fireEvent.keyDown(document.body, { key: 'j' });
  expect(enter).toHaveBeenCalledTimes(1);
  setSingleKeys(false);
  fireEvent.keyDown(document.body, { key: 'j' });
  expect(enter).toHaveBeenCalledTimes(1);
  fireEvent.keyDown(document.body, { key: 'ArrowDown' });
  expect(enter).toHaveBeenCalledTimes(2);
});
