// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { TabTitle } from './tab-title';

afterEach(cleanup);

test('the title says how many need attention, that this may be old, and neither twice', async () => {
  document.title = 'Locks';
  const { rerender } = render(<TabTitle needs={5} stale={null} />);
  expect(document.title).toBe('▲ 5 · Locks');
  rerender(<TabTitle needs={5} stale="stale" />);
  expect(document.title).toBe('◌ stale · ▲ 5 · Locks');
  // In another language, without a need for attention.
  rerender(<TabTitle needs={0} stale="已过时" />);
  expect(document.title).toBe('◌ 已过时 · Locks');
  rerender(<TabTitle needs={0} stale={null} />);
  expect(document.title).toBe('Locks');
});
