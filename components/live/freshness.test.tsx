// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { ghostFinding, lockOf, nowMs, snapshotOf } from '@/components/fixture/world';
import { FreezeContext } from '@/components/live/frozen';
import { announcement } from '@/components/shell/announcer';
import { OutageBanner } from '@/components/shell/outage-banner';
import { freshnessOf, isOld } from '@/lib/client/freshness';
import type { Connection } from '@/lib/client/live-view';
import { FrozenSnapshot } from '@/lib/client/page-data';
import type { SourceState } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { en } from '@/lib/i18n/messages';
import { AsOf, FreshnessWords, lastGoodMs } from './freshness';

beforeEach(() => void vi.useFakeTimers({ now: nowMs }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});
const live = snapshotOf();

function show(snapshot: Snapshot, connection: Connection) {
  const view = liveViewOf(snapshot, connection);
  render(
    <Live view={view}>
      <FreshnessWords />
      <OutageBanner />
      <p>
        <AsOf />
        Held.
      </p>
    </Live>,
  );
  return view;
}

test('a lost connection outweighs any last word on Consul', () => {
  expect(freshnessOf('lost', 'live')).toBe('lost');
  expect(freshnessOf('live', 'down')).toBe('down');
  expect(freshnessOf('connecting', 'live')).toBe('connecting');
  expect(isOld('catching-up')).toBe(false);
});

test('live data says so, with the time, and no banner', () => {
  show(live, { state: 'live', sinceMs: nowMs });
  expect(screen.getByText(/live ·/).textContent).toMatch(/\d\d:\d\d:\d\d/);
  expect(screen.queryByRole('status')).toBeNull();
});

test('a sentence about several sources names each that is not live, and the header counts them', () => {
  const one = (id: string, over: Partial<SourceState>): SourceState => ({
    ...live.source,
    id,
    title: id,
    ...over,
  });
  const old = { state: 'stale', staleSinceMs: nowMs - 4_000 } as const;
  const parts = [
    one('Consul', {}),
    one('Redis', old),
    one('ZooKeeper', { state: 'down', lastContactMs: null, staleSinceMs: null }),
  ];
  const at = { state: 'live', sinceMs: nowMs } as const;
  const text = (brief: boolean, of: readonly SourceState[]) => {
    const { container, unmount } = render(
      <Live view={liveViewOf({ ...live, source: { ...live.source, state: 'stale', parts: of } }, at)}>
        <AsOf brief={brief} />
      </Live>,
    );
    const said = container.textContent;
    unmount();
    return said;
  };
  expect(text(false, parts)).toMatch(/^Redis as of \d\d:\d\d:00, ZooKeeper not read: $/);
  expect(text(true, parts)).toBe('2 sources not live');
  expect(text(false, [one('Consul', {}), one('Redis', {})])).toBe('');
  const older = { ...old, staleSinceMs: nowMs - 60_000 };
  expect(text(false, [one('Consul', old), one('Redis', older)])).toMatch(
    /^Consul as of \d\d:\d\d:00, Redis as of \d\d:\d\d:04: $/,
  );
  // Never read yet, and so not in what is said.
  const first = one('ZooKeeper', { state: 'catching-up', lastContactMs: null });
  expect(text(false, [one('Consul', {}), first])).toBe('ZooKeeper not read: ');
});

test("the time beside live is that of Consul's last answer, at any clock", () => {
  const source = { ...live.source, lastContactMs: nowMs - 60_000 };
  const view = show({ ...live, source }, { state: 'live', sinceMs: nowMs });
  const told = () => screen.getByText(/live ·/).querySelector('time')?.dateTime;
  expect(told()).toBe(new Date(source.lastContactMs).toISOString());
  const answeredMs = nowMs - 9_000;
  act(() => void view.contact.set(answeredMs));
  expect(told()).toBe(new Date(answeredMs).toISOString());
});

test('a snapshot that says when something last changed does not put the time beside live back', () => {
  const view = show(live, { state: 'live', sinceMs: nowMs });
  const { dateTime } = screen.getByText(/live ·/).querySelector('time') as HTMLTimeElement;
  const source = { ...live.source, lastContactMs: nowMs - 60_000 };
  act(() => void view.snapshot.set({ ...live, version: live.version + 1, source }));
  expect(screen.getByText(/live ·/).querySelector('time')?.dateTime).toBe(dateTime);
});

test('a sentence about old data begins with the time of the last good data, and only then', () => {
  const view = show(live, { state: 'live', sinceMs: nowMs });
  expect(screen.queryByText(/As of/)).toBeNull();
  const source = { ...live.source, state: 'down', staleSinceMs: Date.parse('2026-11-21T06:56:57Z') } as const;
  act(() => void view.snapshot.set({ ...live, source }));
  const told = () => screen.getByText(/As of/).querySelector('time')?.dateTime;
  expect(told()).toBe('2026-11-21T06:56:57.000Z');
  // A link that breaks later makes it no younger.
  act(() => void view.connection.set({ state: 'lost', sinceMs: nowMs + 9e9 }));
  expect(told()).toBe('2026-11-21T06:56:57.000Z');
});

test("only read data has a time, and a live source's is when it was last heard", () => {
  const { source } = live;
  const heard = nowMs - 3_000;
  const late = { ...source, lastContactMs: nowMs - 9e6 };
  for (const state of ['lost', 'connecting'] as const)
    expect(lastGoodMs({ state, sinceMs: heard }, late)).toBe(heard);
  // An answer from Consul does not prove that anything was read.
  for (const lastContactMs of [null, nowMs])
    for (const state of ['down', 'stale', 'catching-up'] as const)
      for (const link of ['lost', 'live'] as const)
        expect(
          lastGoodMs(
            { state: link, sinceMs: heard },
            { ...source, state, lastContactMs, staleSinceMs: null },
          ),
        ).toBeNull();
});

test('a frozen page keeps its time when the link is lost later, and what stands around it has that of the present', () => {
  const view = liveViewOf(live, { state: 'live', sinceMs: nowMs });
  const frozen = { askedMs: nowMs - 60_000, takenMs: nowMs - 60_000, snapshot: live };
  render(
    <Live view={view}>
      <FreezeContext value={{ frozen, pastMs: null, toggle: () => {}, go: () => {} }}>
        <p data-testid="around">
          <AsOf />
        </p>
        <FrozenSnapshot value={live}>
          <p data-testid="page">
            <AsOf />
          </p>
        </FrozenSnapshot>
      </FreezeContext>
    </Live>,
  );
  const told = (id: string) => screen.getByTestId(id).querySelector('time')?.dateTime;
  const iso = (ms: number) => new Date(ms).toISOString();
  expect([told('around'), told('page')]).toEqual([undefined, iso(frozen.takenMs)]);
  act(() => void view.connection.set({ state: 'lost', sinceMs: nowMs }));
  expect([told('around'), told('page')]).toEqual([iso(nowMs), iso(frozen.takenMs)]);
});

test('losing the connection and getting it back is seen without a reload', () => {
  const view = show(live, { state: 'live', sinceMs: nowMs });
  act(() => void view.connection.set({ state: 'lost', sinceMs: nowMs }));
  expect(screen.getByText('disconnected')).toBeTruthy();
  expect(screen.getByRole('status').textContent).toMatch(/lost its connection/);
  act(() => void view.connection.set({ state: 'live', sinceMs: nowMs }));
  expect(screen.queryByRole('status')).toBeNull();
});

test('changes are announced as one count, and what is urgent is said with them', () => {
  const heard = { snapshot: live, freshness: 'live' } as const;
  const next = snapshotOf({ locks: [lockOf('a'), lockOf('b')], findings: [ghostFinding('s')] });
  expect(announcement(heard, { snapshot: next, freshness: 'live' }, en)).toBe(
    'New, urgent: ghost slots, s. 1 needs attention, 1 more than before. Two locks or semaphores changed.',
  );
  expect(announcement(heard, { snapshot: live, freshness: 'lost' }, en)).toMatch(
    /connection to Signalbox is lost/,
  );
  expect(announcement(heard, heard, en)).toBe('');
});
