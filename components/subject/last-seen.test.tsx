// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, lockOf, nowMs, snapshotOf } from '@/components/fixture/world';
import type { Connection } from '@/lib/client/live-view';
import type { Lock } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';
import { createLastSeen } from './last-seen';
import { LockView } from './lock-view';

afterEach(cleanup);

const held = lockOf('a', { holder: holderOf(7) });
const free = lockOf('a', { state: 'free', holder: null });
const delayed = lockOf('a', { state: 'delayed', holder: null, exists: false });
const of = (...locks: Lock[]) => snapshotOf({ locks });

/** An open page, and what it says after each of these came, one second apart. */
function watch(first: Snapshot) {
  const view = liveViewOf(first);
  let atMs = nowMs;
  const { get, subscribe } = createLastSeen({ view, kind: 'lock', name: 'a', now: () => atMs });
  subscribe(() => {});
  const after = (change: { snapshot?: Snapshot; connection?: Connection['state'] }) => {
    atMs += 1_000;
    if (change.snapshot !== undefined) view.snapshot.set(change.snapshot);
    if (change.connection !== undefined) view.connection.set({ state: change.connection, sinceMs: atMs });
    return get();
  };
  return after;
}

test('a lock that goes under the eyes of the page was there until then, held by who held it to the last', () => {
  const after = watch(of(held));
  expect(after({ snapshot: of(held, lockOf('b')) })).toBeNull();
  const last = { atMs: nowMs + 2_000, wasSeen: true, holder: { label: 'worker-7', end: null } };
  expect(after({ snapshot: of() })).toEqual(last);
  // What comes later makes it no younger.
  expect(after({ snapshot: of(lockOf('b')) })).toEqual(last);
  expect(after({ snapshot: of(free) })).toBeNull();
  expect(after({ snapshot: of() })).toMatchObject({ holder: null });
});

test('a key that was deleted with its session is gone at once, although its name is in view for its lock-delay', () => {
  const after = watch(of(held));
  after({ snapshot: of(delayed) });
  expect(after({ snapshot: of() })).toMatchObject({ atMs: nowMs + 1_000, holder: { label: 'worker-7' } });
});

test('who had let go before is told with the time of that', () => {
  const after = watch(of(held));
  after({ snapshot: of(free) });
  expect(after({ snapshot: of() })).toMatchObject({
    atMs: nowMs + 2_000,
    holder: { label: 'worker-7', end: { atMs: nowMs + 1_000, wasSeen: true } },
  });
});

test('of what went while nothing could be seen, only when it was last seen is known', () => {
  const cut = watch(of(held));
  cut({ connection: 'lost' });
  cut({ connection: 'connecting' });
  expect(cut({ snapshot: of(), connection: 'live' })).toMatchObject({
    atMs: nowMs + 1_000,
    wasSeen: false,
  });
  const { source } = of();
  const stale = watch(of(held));
  const since = nowMs - 9_000;
  stale({ snapshot: { ...of(held), source: { ...source, state: 'stale', staleSinceMs: since } } });
  expect(stale({ snapshot: of() })).toMatchObject({ atMs: since, wasSeen: false });
});

test('what was never there is not said to have gone', () => {
  const after = watch(of());
  expect(after({ snapshot: of(lockOf('b')) })).toBeNull();
});

test('the page of a lock that goes says until when it was here, who held it, and where to look for deeds', () => {
  const view = liveViewOf(of(held));
  const { container } = render(
    <Live view={view}>
      <LockView name="a" canAsk={false} />
    </Live>,
  );
  act(() => void view.snapshot.set(of()));
  expect(container.textContent).toMatch(/It was here until [\d:]{8}, held by worker-7\./);
  expect(container.querySelector('a[href^="/audit?subject=lock%3Aa"]')).not.toBeNull();
});
