// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Refused } from './refused';

afterEach(cleanup);

test('text that the clipboard refuses is selected to be copied by hand, and the focus returns to the menu after that', async () => {
  const dialog = (open: boolean) => (
    <>
      <button type="button">menu</button>
      {open ? <Refused text="a/lock" back={screen.getByText('menu')} onClose={() => {}} /> : null}
    </>
  );
  const { rerender } = render(dialog(false));
  rerender(dialog(true));
  const field = screen.getByRole<HTMLTextAreaElement>('textbox');
  expect(document.activeElement).toBe(field);
  expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe('a/lock');
  rerender(dialog(false));
  await expect.poll(() => document.activeElement?.textContent).toBe('menu');
});
