// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { captureScript } from '@/components/dom/event-capture';
import GlobalError from './global-error';

// A <body> within a page becomes that of the document. On one in which a dialog once opened, React would look for the place of
// an event without end.
const { body } = document;
beforeEach(() => body.replaceWith(document.createElement('body')));
afterEach(() => {
  cleanup();
  document.body.replaceWith(body);
  vi.restoreAllMocks();
  document.documentElement.lang = '';
  window.signalboxEarly?.end();
  delete window.signalboxEarly;
});

test('without a frame, the error page still answers a press', async () => {
  // An <html> in the place of a page is nothing that React likes.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => {});
  new Function(captureScript)();
  render(<GlobalError error={new Error('of the frame')} />);
  await act(async () => document.querySelector<HTMLButtonElement>('[role=alert] button')?.click());
  expect(reload).toHaveBeenCalledTimes(1);
});

test.each([
  ['en', 'en', 'nothing was written'],
  ['zh-Hans', 'zh-Hans', '也没有写入任何内容'],
])(
  'in a document that was %s it says what it means for locks, and the reference for the log',
  async (lang, after, words) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    document.documentElement.lang = lang;
    const { container } = render(
      <GlobalError error={Object.assign(new Error('of the frame'), { digest: '4711' })} />,
    );
    expect(container.querySelector('h1')?.textContent).not.toBe('');
    await vi.waitFor(() => expect(container.textContent).toContain(words), { timeout: 30_000 });
    expect(container.textContent).toContain('4711');
    expect(container.querySelector('html')?.lang ?? document.documentElement.lang).toBe(after);
  },
);
