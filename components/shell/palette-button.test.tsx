// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { PaletteButton } from './palette-button';

afterEach(cleanup);

const asked = vi.hoisted(() => ({ times: 0 }));
vi.mock('./palette', () => {
  asked.times += 1;
  if (asked.times === 1) throw new Error('Signalbox is away.');
  return { Palette: ({ open }: { open: boolean }) => (open ? <div role="dialog" /> : null) };
});

test('a palette whose code does not come takes nothing off the page, and opens once it comes', async () => {
  render(
    <>
      <p>the last known state</p>
      <PaletteButton />
    </>,
  );
  await vi.waitFor(
    () => {
      if (screen.queryByRole('dialog') === null) fireEvent.click(screen.getByRole('button'));
      expect(asked.times).toBeGreaterThan(1);
      expect(screen.getByRole('dialog')).toBeTruthy();
    },
    { timeout: 30_000 },
  );
  expect(screen.getByText('the last known state')).toBeTruthy();
});
