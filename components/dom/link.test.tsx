// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Link, useLinks } from './link';

const router = vi.hoisted(() => ({ push: vi.fn(), prefetch: vi.fn() }));

vi.mock('next/navigation', () => ({ useRouter: () => router }));

beforeEach(() => {
  router.push.mockClear();
  router.prefetch.mockClear();
});
afterEach(cleanup);

function Page({ children }: { children: React.ReactNode }) {
  useLinks();
  return children;
}

/** Presses it; true when the browser was left to follow it, which it cannot do here. */
function pressed(init: MouseEventInit = {}): boolean {
  let left = false;
  const last = (event: MouseEvent) => {
    left = !event.defaultPrevented;
    event.preventDefault();
  };
  window.addEventListener('click', last, { once: true });
  fireEvent.click(screen.getByText('there'), { button: 0, ...init });
  return left;
}

test('a press leads to the page of the link, without another document', () => {
  render(
    <Page>
      <Link href="/lock?key=a%2Fb#x">
        <b>there</b>
      </Link>
    </Page>,
  );
  expect(pressed()).toBe(false);
  expect(router.push).toHaveBeenCalledExactlyOnceWith('/lock?key=a%2Fb#x');
});

test('so does one in a drawing', () => {
  render(
    <Page>
      <svg>
        <title>a graph</title>
        <Link href="/semaphore?prefix=a">
          <text>there</text>
        </Link>
      </svg>
    </Page>,
  );
  expect(pressed()).toBe(false);
  expect(router.push).toHaveBeenCalledExactlyOnceWith('/semaphore?prefix=a');
});

test.each([{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { altKey: true }, { button: 1 }])(
  'a press with %o is the browser’s',
  (init) => {
    render(
      <Page>
        <Link href="/lock">there</Link>
      </Page>,
    );
    expect(pressed(init)).toBe(true);
    expect(router.push).not.toHaveBeenCalled();
  },
);

test.each([
  [
    'to another host',
    <Link key="a" href="https://other.example/">
      there
    </Link>,
  ],
  [
    'into another window',
    <Link key="b" href="/lock" target="_blank">
      there
    </Link>,
  ],
  [
    'that is none of ours',
    <a key="c" href="/lock">
      there
    </a>,
  ],
])('a link %s is the browser’s', (_what, link) => {
  render(<Page>{link}</Page>);
  expect(pressed()).toBe(true);
  expect(router.push).not.toHaveBeenCalled();
});

test('what has been answered already is not followed', () => {
  render(
    <Page>
      <Link href="/lock" onClick={(event) => event.preventDefault()}>
        there
      </Link>
    </Page>,
  );
  pressed();
  expect(router.push).not.toHaveBeenCalled();
});

test('a page that somebody points at is asked for ahead, those of a list are not', () => {
  render(
    <Page>
      <Link href="/graph">graph</Link>
      <Link href="/lock" prefetch={false}>
        there
      </Link>
    </Page>,
  );
  fireEvent.pointerOver(screen.getByText('there'));
  expect(router.prefetch).not.toHaveBeenCalled();
  fireEvent.pointerOver(screen.getByText('graph'));
  expect(router.prefetch).toHaveBeenCalledExactlyOnceWith('/graph');
});
