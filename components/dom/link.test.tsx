// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Link } from './link';

/** What the framework's link was last asked to prefetch, by address. */
const prefetch = vi.hoisted(() => new Map<string, unknown>());

vi.mock('next/link', () => ({
  default: ({ prefetch: asked, ...anchor }: React.ComponentProps<'a'> & { prefetch: unknown }) => {
    prefetch.set(anchor.href ?? '', asked);
    return <a {...anchor} />;
  },
}));

beforeEach(() => prefetch.clear());
afterEach(cleanup);

test.each([
  ['points at', (link: Element) => fireEvent.pointerEnter(link)],
  ['walks to', (link: Element) => fireEvent.focus(link)],
])('a page that a person %s is prefetched, those of a list are not', (_what, approach) => {
  render(
    <>
      <Link href="/graph">graph</Link>
      <Link href="/lock" prefetch={false}>
        there
      </Link>
    </>,
  );
  expect(prefetch.get('/graph')).toBe(false);
  approach(screen.getByText('graph'));
  approach(screen.getByText('there'));
  expect(prefetch).toEqual(
    new Map([
      ['/graph', null],
      ['/lock', false],
    ]),
  );
});
