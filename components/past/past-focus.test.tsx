// @vitest-environment happy-dom
/** Who uses the keyboard keeps the place in the past, and what is not known is not said. */
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { PastLock } from '@/lib/domain/history/past';
import { lockSubject } from '@/lib/domain/subject';
import { PastBand } from './past-band';
import { PastButton } from './past-button';
import { PastTable } from './past-table';

afterEach(cleanup);

const page = (part: React.ReactNode) => (
  <Live view={liveViewOf(snapshotOf({}))}>
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Suspense>{part}</Suspense>
    </ClockProvider>
  </Live>
);
const still = {
  title: 'then',
  age: null,
  onGo: () => {},
  onStep: () => {},
  previous: undefined,
  next: undefined,
  searched: false,
};
const band = (atMs: number) => page(<PastBand {...still} atMs={atMs} />);

test('a step in time moves the field and leaves the focus in it', async () => {
  const { rerender } = render(band(nowMs));
  const field = (await screen.findByLabelText('Date and time')) as HTMLInputElement;
  const before = field.value;
  field.focus();
  rerender(band(nowMs - 60_000));
  expect(document.activeElement).toBe(field);
  expect(field.value).not.toBe(before);
});

test('a step to a change goes to its instant, and at an end it says that none is kept, or only that none was found', async () => {
  const onGo = vi.fn();
  const ends = (complete: boolean) => ({ previous: { atMs: null, complete }, next: { atMs: 7, complete } });
  const { rerender } = render(page(<PastBand {...still} {...ends(true)} atMs={nowMs} onGo={onGo} />));
  fireEvent.click(await screen.findByRole('button', { name: /^Next change/ }));
  expect(onGo).toHaveBeenCalledExactlyOnceWith(7);
  const earlier = screen.getByRole('button', { name: /Previous change$/ });
  expect(earlier.getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(earlier);
  expect(onGo).toHaveBeenCalledOnce();
  expect(screen.getByText('No earlier change is kept.')).toBeTruthy();
  rerender(page(<PastBand {...still} {...ends(false)} atMs={nowMs} />));
  expect(screen.getByText('No earlier change was found.')).toBeTruthy();
  // Nothing is known before the answer.
  rerender(page(<PastBand {...still} atMs={nowMs} />));
  expect(screen.queryByText(/earlier change/)).toBeNull();
});

test('the button of the menu of times is there after Escape, and opens it again', async () => {
  render(page(<PastButton />));
  fireEvent.click(screen.getByRole('button', { name: 'Earlier…' }));
  const menu = await screen.findByRole('dialog');
  fireEvent.keyDown(menu, { key: 'Escape' });
  await act(() => new Promise((done) => setTimeout(done, 0)));
  expect(screen.queryByRole('dialog')).toBeNull();
  const button = screen.getByRole('button', { name: 'Earlier…' });
  expect(document.activeElement).toBe(button);
  fireEvent.keyDown(document.body, { key: 't' });
  expect(await screen.findByRole('dialog')).toBeTruthy();
});

test('of a lock that was only seen waited for, it is not said that nobody held it', async () => {
  const lock: PastLock = {
    kind: 'lock',
    source: 'consul',
    key: 'k',
    holders: [],
    waiters: [
      {
        sessionId: 'b',
        label: 'b',
        session: null,
        since: { atMs: 1, basis: 'observed' },
        until: null,
        end: null,
        deed: null,
      },
    ],
  };
  const row = { id: 'lock:k', name: 'k', of: lock, subject: lockSubject(lock), findings: [], severity: null };
  render(page(<PastTable rows={[row]} atMs={nowMs} />));
  expect((await screen.findByRole('row', { name: /^k/ })).textContent).toContain('not known who held it');
});
