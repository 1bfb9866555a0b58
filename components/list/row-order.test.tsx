// @vitest-environment happy-dom
import { act, cleanup, render, renderHook, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { lockOf, snapshotOf } from '@/components/fixture/world';
import { type BoardRow, rowsOf } from '@/lib/view/board-rows';
import { countChanges, keepPlaces, placesIn } from './row-order';
import { holdHandlers, type Steady, useSteadyRows } from './stable-order';

afterEach(cleanup);

test.each([
  ['nothing', 'abc', 'abc', 0],
  ['one appears', 'abc', 'axbc', 1],
  ['one vanishes', 'abc', 'ac', 1],
  ['one jumps over all others', 'abcdef', 'fabcde', 1],
  ['two change places', 'abcd', 'abdc', 1],
  ['all at once', 'abcd', 'xdab', 3],
])('changes are counted as a person would: %s', (_what, shown, wanted, n) => {
  expect(countChanges(placesIn([...shown]), [...wanted])).toBe(n);
});

const rowsNamed = (names: string) => rowsOf(snapshotOf({ locks: [...names].map((name) => lockOf(name)) }));
const shown = (steady: Steady<BoardRow>) =>
  steady.rows.map(({ row, gone }) => (gone ? `(${row.name})` : row.name)).join('');

test('rows keep their place while someone points at them, and move when the pointer leaves', () => {
  const hook = renderHook(({ names }) => useSteadyRows(rowsNamed(names), 'q'), {
    initialProps: { names: 'abc' },
  });
  act(() => hook.result.current.hold());
  hook.rerender({ names: 'cab' });
  expect(shown(hook.result.current)).toBe('abc');
  expect(hook.result.current.changes).toBe(1);
  act(() => hook.result.current.release());
  expect(shown(hook.result.current)).toBe('cab');
});

test('rows stay until the last that holds them is over: a menu outlasts the pointer', () => {
  const hook = renderHook(({ names }) => useSteadyRows(rowsNamed(names), 'q'), {
    initialProps: { names: 'abc' },
  });
  act(() => hook.result.current.hold('pointer'));
  act(() => hook.result.current.hold('menu'));
  act(() => hook.result.current.release('pointer'));
  hook.rerender({ names: 'cab' });
  expect(shown(hook.result.current)).toBe('abc');
  act(() => hook.result.current.release('menu'));
  expect(shown(hook.result.current)).toBe('cab');
});

test('a row that is gone stays in its place, marked, and one that is new waits', () => {
  const hook = renderHook(({ names }) => useSteadyRows(rowsNamed(names), 'q'), {
    initialProps: { names: 'abc' },
  });
  act(() => hook.result.current.hold());
  hook.rerender({ names: 'acx' });
  expect(shown(hook.result.current)).toBe('a(b)c');
  expect(hook.result.current.changes).toBe(2);
});

test('asking for the changes applies them, and the new order is held from there', () => {
  const hook = renderHook(({ names }) => useSteadyRows(rowsNamed(names), 'q'), {
    initialProps: { names: 'abc' },
  });
  act(() => hook.result.current.hold());
  hook.rerender({ names: 'cab' });
  act(() => hook.result.current.applyNow());
  expect(shown(hook.result.current)).toBe('cab');
  hook.rerender({ names: 'abc' });
  expect(shown(hook.result.current)).toBe('cab');
});

function List({ names, button }: { names: string; button: boolean }) {
  const steady = useSteadyRows(rowsNamed(names), 'q');
  return (
    <div {...holdHandlers(steady)}>
      <output>{shown(steady)}</output>
      {button ? <button type="button">mend</button> : null}
    </div>
  );
}

test('a removed element with the focus holds no row any more', () => {
  const { rerender } = render(<List names="abc" button />);
  act(() => screen.getByRole('button').focus());
  rerender(<List names="cab" button />);
  expect(screen.getByRole('status').textContent).toBe('abc');
  rerender(<List names="cab" button={false} />);
  expect(screen.getByRole('status').textContent).toBe('cab');
});

test('a new filter or sort applies at once, pointer or not', () => {
  const hook = renderHook(({ names, epoch }) => useSteadyRows(rowsNamed(names), epoch), {
    initialProps: { names: 'abc', epoch: 'q' },
  });
  act(() => hook.result.current.hold());
  hook.rerender({ names: 'cb', epoch: 'other' });
  expect(shown(hook.result.current)).toBe('cb');
});

test.each([
  ['a new order of the same holders changes no slot', 'abc', 'cab', 'abc'],
  ['a slot that passes on changes in place', 'abc', 'xca', 'axc'],
  ['a free slot is taken where it is', 'ab', 'bxa', 'abx'],
  ['fewer slots close up', 'abc', 'c', 'c'],
  ['a session that is recorded twice keeps both', 'aab', 'baa', 'aab'],
])('%s', (_what, before, now, places) => {
  expect(keepPlaces([...before], [...now]).join('')).toBe(places);
});
