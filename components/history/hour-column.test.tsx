// @vitest-environment happy-dom
/** What the drawing of a row's last hour says of itself. */
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { HourColumn } from '@/lib/domain/history/column';
import { languages } from '@/lib/i18n/messages';
import { columnText, HourCell, HourState } from './hour-column';

const column = (facts: Partial<HourColumn>): HourColumn => ({
  path: '',
  heldShare: 0.62,
  seenMs: 3_600_000,
  waitersMax: null,
  counted: false,
  ...facts,
});
const said = (facts: Partial<HourColumn>) => columnText(column(facts), languages.en);

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('its name has the share, the most that waited, and how much of the hour was watched', () => {
  expect(said({ waitersMax: 3 })).toBe('Held 62 % of the last hour, up to 3 waited');
  expect(said({ heldShare: 0.004 })).toBe('Held <1 % of the last hour');
  expect(said({ counted: true })).toBe('Held ≈ 62 % of the last hour');
  expect(said({ seenMs: 600_000 })).toBe('Held 62 % of the 10\u00a0min that were watched in the last hour');
  expect(said({ seenMs: 20_000 })).toBe('Held 62 % of the 20\u00a0s that were watched in the last hour');
  expect(said({ heldShare: null, seenMs: 0 })).toBe('Not watched in the last hour');
});

const answering = (answer: object) => {
  const fetched = vi.fn(async (_path: string, _options: { readonly body: string }) => Response.json(answer));
  vi.stubGlobal('fetch', fetched);
  return fetched;
};

test('the rows on screen ask together, once', async () => {
  const fetched = answering({
    at: 0,
    off: false,
    awaySinceMs: null,
    columns: { 'lock:a': column({}), 'lock:b': column({ heldShare: 0.5 }) },
  });
  render(
    <>
      <HourState />
      <HourCell subject="lock:a" />
      <HourCell subject="lock:b" />
      <HourCell subject="lock:hidden" />
    </>,
  );
  expect(await screen.findAllByRole('img')).toHaveLength(2);
  expect(screen.getByRole('img', { name: /^Held 50 %/ })).toBeTruthy();
  expect(fetched).toHaveBeenCalledTimes(1);
  expect(JSON.parse(fetched.mock.calls[0]?.[1].body ?? '')).toEqual({
    subjects: ['lock:a', 'lock:b', 'lock:hidden'],
  });
});

test('where no history is kept, or it cannot be read, no row has a drawing and a word says so', async () => {
  const body = { at: 0, columns: {} };
  for (const [answer, word] of [
    [{ ...body, off: true, awaySinceMs: null }, 'not kept'],
    [{ ...body, off: false, awaySinceMs: 5 }, 'cannot be read'],
  ] as const) {
    answering(answer);
    render(
      <>
        <HourState />
        <HourCell subject={`lock:${word}`} />
      </>,
    );
    expect(await screen.findByText(word)).toBeTruthy();
    expect(screen.queryByRole('img')).toBeNull();
    cleanup();
  }
});
