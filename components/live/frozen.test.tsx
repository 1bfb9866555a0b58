// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { putAddress } from '@/components/fixture/address';
import { Live, liveViewOf } from '@/components/fixture/live';
import { lockOf, nowMs, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import { useSnapshot } from '@/lib/client/page-data';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { FreezeBand, FreezeButton, FreezeProvider, FrozenPage } from './freeze';
import { changesSince, Moments, useFreeze } from './frozen';

afterEach(cleanup);

const before = snapshotOf({ locks: [lockOf('a'), lockOf('b')], semaphores: [semaphoreOf('s')] });
const after = { ...before, version: 2, locks: [lockOf('a', { modifyIndex: '99' }), lockOf('c')] };

test('changes since are counted once for each added, removed or changed row', () => {
  expect(changesSince(before, before)).toBe(0);
  expect(changesSince(before, after)).toBe(3);
  expect(changesSince(before, structuredClone(before))).toBe(0);
});

test('rows of one name in two sources are two rows, and each counts only when it changed itself', () => {
  const inBoth = (modifyIndex: string) => ({
    locks: [lockOf('a'), lockOf('a', { source: 'second', modifyIndex })],
    semaphores: [semaphoreOf('s'), semaphoreOf('s', { source: 'second' })],
    sessions: [sessionOf(1), sessionOf(1, { source: 'second' })],
  });
  const here = snapshotOf(inBoth('1'));
  expect(changesSince(here, structuredClone(here))).toBe(0);
  expect(changesSince(here, snapshotOf(inBoth('2')))).toBe(1);
});

test('a moment is taken once, and a tab keeps the last few', () => {
  const moments = new Moments();
  const take = (takenMs: number) => () => ({ takenMs, snapshot: before });
  expect(moments.of(1, take(1)).takenMs).toBe(1);
  expect(moments.of(1, take(2)).takenMs).toBe(1);
  for (const asked of [2, 3, 4]) moments.of(asked, take(asked));
  expect(moments.of(1, take(9)).takenMs).toBe(9);
});

function Keys() {
  return (
    <output>
      {useSnapshot()
        .locks.map((lock) => lock.key)
        .join(' ')}
    </output>
  );
}

function open(search: string) {
  putAddress(search);
  const view = liveViewOf(before, { state: 'live', sinceMs: nowMs });
  render(
    <Live view={view}>
      <ClockProvider first={{ nowMs, zone: 'UTC' }}>
        <FreezeProvider>
          <FreezeBand />
          <FrozenPage>
            <FreezeButton />
            <Keys />
          </FrozenPage>
        </FreezeProvider>
      </ClockProvider>
    </Live>,
  );
  const bring = (snapshot: Snapshot) => act(() => view.snapshot.set(snapshot));
  return { bring, shown: () => document.querySelector('output')?.textContent };
}

test('a frozen page keeps what it showed, counts what has changed, and resumes into the present', async () => {
  const page = open('');
  fireEvent.click(screen.getByRole('button', { name: /^Freeze/ }));
  await screen.findByText(/Frozen at/);
  page.bring(after as Snapshot);
  expect(page.shown()).toBe('a b');
  expect(screen.getByText(/changed since/).textContent).toContain('Three');
  const [resume] = screen.getAllByRole('button', { name: /^Resume/ });
  if (resume === undefined) throw new Error('nothing to resume with');
  fireEvent.click(resume);
  await act(async () => {});
  expect(page.shown()).toBe('a c');
  expect(screen.queryByText(/Frozen at/)).toBeNull();
});

test('a frozen link from elsewhere says that its moment cannot be shown, and which one is', () => {
  open(`?frozen=${nowMs - 60_000}`);
  const text = document.querySelector('section')?.textContent ?? '';
  expect(text).toContain('Neither the server nor this page keeps that moment');
  expect(text).toContain('12:02:04');
  expect(text).toContain('12:03:04');
  expect(text).not.toContain('Frozen at');
});

test('the key f freezes and resumes, but not while a person types', async () => {
  open('');
  fireEvent.keyDown(document.body, { key: 'f' });
  await screen.findByText(/Frozen at/);
  const field = document.createElement('input');
  document.body.append(field);
  fireEvent.keyDown(field, { key: 'f', bubbles: true });
  expect(screen.queryByText(/Frozen at/)).not.toBeNull();
  field.remove();
});

test.each(['99999999999999999', '-1', 'Infinity', 'x'])(
  'an address with no instant in it freezes nothing: %s',
  (asked) => {
    expect(open(`?frozen=${asked}`).shown()).toBe('a b');
    expect(document.querySelector('section')).toBeNull();
  },
);

test.each([
  ['2026-11-26T02:13:00Z', Date.UTC(2026, 10, 26, 2, 13)],
  ['2026-11-26T02:13:00%2B01:00', Date.UTC(2026, 10, 26, 1, 13)],
  ['1795659180000', 1_795_659_180_000],
  // Each reader's own zone would make another instant of it.
  ['2026-11-26T02:13:00', Number.NaN],
  ['yesterday', Number.NaN],
])('an address names an instant of the past only for every reader alike: %s', (asked, atMs) => {
  window.history.replaceState(null, '', `/?at=${asked}`);
  const seen: (number | null)[] = [];
  const Seen = () => {
    seen.push(useFreeze().pastMs);
    return null;
  };
  render(
    <Live view={liveViewOf(before)}>
      <ClockProvider first={{ nowMs, zone: 'UTC' }}>
        <FreezeProvider>
          <Seen />
        </FreezeProvider>
      </ClockProvider>
    </Live>,
  );
  expect(seen.at(-1)).toBe(atMs);
});
