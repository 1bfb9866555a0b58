// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TabTitle } from './tab-title';

beforeEach(() => {
  document.head.innerHTML = '<title>Locks</title><link rel="icon" href="/signalbox.svg">';
});
afterEach(cleanup);

const icon = () => decodeURIComponent(document.querySelector('link[rel=icon]')?.getAttribute('href') ?? '');

test('the title says how many need attention, that this may be old, and neither twice', async () => {
  const { rerender } = render(<TabTitle needs={5} urgent={1} stale={null} />);
  expect(document.title).toBe('▲ 5 · Locks');
  rerender(<TabTitle needs={5} urgent={1} stale="stale" />);
  expect(document.title).toBe('◌ stale · ▲ 5 · Locks');
  // In another language, without a need for attention.
  rerender(<TabTitle needs={0} urgent={0} stale="已过时" />);
  expect(document.title).toBe('◌ 已过时 · Locks');
  rerender(<TabTitle needs={0} urgent={0} stale={null} />);
  expect(document.title).toBe('Locks');
});

test('the icon carries the number, red where one is urgent, is grey while the data is old, and plain again', () => {
  const { rerender } = render(<TabTitle needs={5} urgent={1} stale={null} />);
  const urgent = icon();
  expect(urgent).toMatch(/^data:image\/svg\+xml,.*>5<\/text>/);
  rerender(<TabTitle needs={12} urgent={0} stale={null} />);
  expect(icon()).toContain('>9+</text>');
  const fill = (of: string) => /r="10\.5" fill="(#\w+)"/.exec(of)?.[1];
  expect(fill(icon())).not.toBe(fill(urgent));
  rerender(<TabTitle needs={0} urgent={0} stale="stale" />);
  expect(icon()).toContain('stroke-dasharray');
  rerender(<TabTitle needs={0} urgent={0} stale={null} />);
  expect(icon()).toBe('/signalbox.svg');
});
