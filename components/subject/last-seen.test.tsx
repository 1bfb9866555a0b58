// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, idOf, lockOf, nowMs, snapshotOf } from '@/components/fixture/world';
import type { Connection } from '@/lib/client/live-view';
import { FrozenSnapshot } from '@/lib/client/page-data';
import type { Lock, LockDelay } from '@/lib/domain/model';
import type { SourceState } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createLastSeen } from './last-seen';
import { LockView } from './lock-view';

afterEach(cleanup);

const held = lockOf('a', { holder: holderOf(7) });
const free = lockOf('a', { state: 'free', holder: null });
const delayed = lockOf('a', { state: 'delayed', holder: null, exists: false });
const of = (...locks: Lock[]) => snapshotOf({ locks });
/** A server that has read nothing yet: it has just started, or Consul is away. */
const unread = (state: SourceState['state']) => {
  const { source, ...world } = of();
  return { ...world, source: { ...source, state, lastContactMs: null, staleSinceMs: null } };
};

/**
 * An open page, and its words after each of these. The server changes its world once a second; the page reads
 * it `lateMs` later.
 */
function watch(first: Snapshot, lateMs = 0) {
  const view = liveViewOf(first);
  let atMs = nowMs;
  const { get, subscribe } = createLastSeen({
    view,
    of: { source: 'consul', kind: 'lock', key: 'a' },
    now: () => atMs + lateMs,
  });
  subscribe(() => {});
  const after = (change: { snapshot?: Snapshot; connection?: Connection['state'] }) => {
    atMs += 1_000;
    if (change.snapshot !== undefined) view.snapshot.set({ ...change.snapshot, asOfMs: atMs });
    if (change.connection !== undefined) view.connection.set({ state: change.connection, sinceMs: atMs });
    return get();
  };
  return after;
}

test('a lock that goes under the eyes of the page was there until then, held by who held it to the last', () => {
  const after = watch(of(held));
  expect(after({ snapshot: of(held, lockOf('b')) })).toBeNull();
  const last = { atMs: nowMs + 2_000, wasSeen: true, holder: { label: 'worker-7', end: null }, delay: null };
  expect(after({ snapshot: of() })).toEqual(last);
  // Later news makes it no younger.
  expect(after({ snapshot: of(lockOf('b')) })).toEqual(last);
  expect(after({ snapshot: of(free) })).toBeNull();
  expect(after({ snapshot: of() })).toMatchObject({ holder: null });
});

test('a key that was deleted with its session is gone at once, although its name is in view for its lock-delay', () => {
  const after = watch(of(held));
  after({ snapshot: of(delayed) });
  expect(after({ snapshot: of() })).toMatchObject({ atMs: nowMs + 1_000, holder: { label: 'worker-7' } });
});

test('an earlier release is shown with its time', () => {
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

test('a page that slept reads late of a loss, and shows the server’s time of it', () => {
  const after = watch(of(held), 600_000);
  expect(after({ snapshot: of(free) })).toBeNull();
  expect(after({ snapshot: of() })).toMatchObject({
    atMs: nowMs + 2_000,
    wasSeen: true,
    holder: { end: { atMs: nowMs + 1_000, wasSeen: true } },
  });
});

test('a link that is given back, as while the page is hidden, had shown everything until then', () => {
  const after = watch(of(held));
  after({ connection: 'connecting' });
  expect(after({ snapshot: of(), connection: 'live' })).toMatchObject({
    atMs: nowMs + 1_000,
    wasSeen: false,
  });
});

test('a server that has read nothing yet proves no loss, and reports it once it has read', () => {
  for (const now of [held, null]) {
    const after = watch(of(held));
    after({ connection: 'lost' });
    expect(after({ snapshot: unread('catching-up') })).toBeNull();
    expect(after({ connection: 'live' })).toBeNull();
    expect(after({ snapshot: unread('down') })).toBeNull();
    const holder = { label: 'worker-7', end: null };
    const last = { atMs: nowMs + 1_000, wasSeen: false, holder, delay: null };
    expect(after({ snapshot: now === null ? of() : of(now) })).toEqual(now === null ? last : null);
  }
});

test('a subject that was never there did not go', () => {
  const after = watch(of());
  expect(after({ snapshot: of(lockOf('b')) })).toBeNull();
});

test('the page of a lock that goes says until when it was here, its holder, and where to look for deeds', () => {
  const view = liveViewOf(of(held));
  const { container } = render(
    <Live view={view}>
      <LockView name="a" canAsk={false} />
    </Live>,
  );
  act(() => void view.snapshot.set(of()));
  expect(container.textContent).toMatch(/It was here until [-\d: ]{8,}, held by worker-7\./);
  expect(container.querySelector('a[href^="/audit?subject=lock%3Aa"]')).not.toBeNull();
});

/** An open page of the lock, frozen with this snapshot or not, and its words. */
function page(view: ReturnType<typeof liveViewOf>) {
  const ui = (frozen: Snapshot | null) => (
    <Live view={view}>
      <FrozenSnapshot value={frozen}>
        <LockView name="a" canAsk={false} />
      </FrozenSnapshot>
    </Live>
  );
  const { container, rerender } = render(ui(null));
  return {
    words: () => container.textContent ?? '',
    freeze: (snapshot: Snapshot) => rerender(ui(snapshot)),
    bring: (snapshot: Snapshot) => act(() => void view.snapshot.set(snapshot)),
  };
}

test('while Signalbox restarts, the page of a lock is being read, and not one of a lock that is gone', () => {
  const { words, bring } = page(liveViewOf(of(held)));
  bring(unread('catching-up'));
  expect(words()).toMatch(/^Reading/);
  expect(words()).not.toContain('worker-7');
  bring(unread('down'));
  expect(words()).not.toContain('worker-7');
  expect(words()).not.toContain('deleted');
});

test('a frozen page keeps its words: neither returns nor later losses change them', () => {
  const view = liveViewOf(of(held));
  const { words, bring, freeze } = page(view);
  bring(of());
  freeze(view.snapshot.get());
  const told = words();
  expect(told).toMatch(/held by worker-7\./);
  bring(of(held));
  expect(words()).toBe(told);
  bring({ ...of(), asOfMs: nowMs + 60_000 });
  expect(words()).toBe(told);
});

const delay: LockDelay = {
  sessionId: idOf(7),
  sessionName: 'consul-lock of solo',
  node: 'node-1',
  seenAtMs: nowMs - 20_000,
  lengthMs: 15_000,
  untilMs: nowMs - 5_000,
  basis: 'seen',
};
const inDelay = lockOf('a', { state: 'delayed', holder: null, delay, delayedUntilMs: delay.untilMs });

test('a lock-delay that the page saw begin and end is over once the lock is gone, and not unknown', () => {
  const { words, bring } = page(liveViewOf(of(held)));
  bring(of(inDelay));
  bring(of({ ...inDelay, exists: false }));
  bring(of());
  expect(words()).toContain('consul-lock of solo on node-1');
  expect(words()).toMatch(/Consul then refused the key to everyone for .*\. That ended by [-\d: ]{8,}/);
  expect(words()).not.toMatch(/does not know whether|refuses the key|refuses a client|continues/);
});

test.each<[string, Lock[]]>([
  [
    'that may never have been',
    [lockOf('a', { state: 'free', holder: null, delay: { ...delay, basis: 'possible' } })],
  ],
  ['of an earlier holder', [inDelay, held]],
])('a delay %s is not shown for a lock that is gone', (_, rows) => {
  const { words, bring } = page(liveViewOf(of(held)));
  for (const row of rows) bring(of(row));
  bring(of());
  expect(words()).not.toContain('consul-lock of solo');
  expect(words()).toContain('does not know whether one runs');
});

test('a delay is kept over the time in which the key is free', () => {
  const { words, bring } = page(liveViewOf(of(held)));
  for (const row of [inDelay, free]) bring(of(row));
  bring(of());
  expect(words()).toContain('consul-lock of solo on node-1');
});
