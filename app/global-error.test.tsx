// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { earlyScript } from '@/components/early';
import GlobalError from './global-error';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  window.signalboxEarly?.end();
  delete window.signalboxEarly;
});

test('where the frame never comes, what says so can be pressed', async () => {
  // An <html> in the place of a page is nothing that React likes.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => {});
  new Function(earlyScript)();
  render(<GlobalError error={new Error('of the frame')} />);
  await act(async () => document.querySelector<HTMLButtonElement>('[role=alert] button')?.click());
  expect(reload).toHaveBeenCalledTimes(1);
});
