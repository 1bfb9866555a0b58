// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { useFocusKept } from './focus-kept';

afterEach(cleanup);

function Page({ isPast }: { isPast: boolean }) {
  useFocusKept(isPast);
  return (
    <>
      <input aria-label="search" />
      <main id="content" tabIndex={-1}>
        <button key={String(isPast)} type="button">
          {isPast ? 'back' : 'earlier'}
        </button>
      </main>
    </>
  );
}

test('the focus of a button that goes with its board is in the content, and one elsewhere stays', () => {
  const { rerender } = render(<Page isPast={false} />);
  expect(document.activeElement).toBe(document.body);
  for (const [name, isPast] of [
    ['earlier', true],
    ['back', false],
  ] as const) {
    screen.getByRole('button', { name }).focus();
    rerender(<Page isPast={isPast} />);
    expect(document.activeElement).toBe(screen.getByRole('main'));
  }
  screen.getByLabelText('search').focus();
  rerender(<Page isPast={true} />);
  expect(document.activeElement).toBe(screen.getByLabelText('search'));
});
