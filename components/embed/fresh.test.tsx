// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { SourceState } from '@/lib/domain/source-state';
import { embed } from '@/lib/i18n/en/embed';
import { formatTime } from '@/lib/i18n/format/format';
import type { EmbedLink } from './follow';
import { Freshness, OldNotice, shownAsOfMs } from './fresh';

beforeEach(() => void vi.useFakeTimers({ now: nowMs }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const world = (over: Partial<SourceState>, asOfMs = nowMs - 50_000) => {
  const snapshot = snapshotOf({});
  return { ...snapshot, asOfMs, source: { ...snapshot.source, lastContactMs: nowMs - 90_000, ...over } };
};
const live: EmbedLink = { state: 'live', contactMs: null };
const lost: EmbedLink = { state: 'lost', sinceMs: nowMs - 10_000 };
const own = (atMs: number) => formatTime(atMs, Intl.DateTimeFormat().resolvedOptions().timeZone);

test.each<[string, Partial<SourceState>, EmbedLink, number | null]>([
  ['nothing was ever read', { state: 'down', lastContactMs: null }, live, null],
  ['Consul has answered, and nothing was ever read', { state: 'down' }, live, null],
  ['Consul does not answer', { state: 'down', staleSinceMs: nowMs - 40_000 }, live, nowMs - 40_000],
  ['the link broke, however long ago the source was told', { state: 'live' }, lost, nowMs - 10_000],
  ['the link broke when it was old', { state: 'stale', staleSinceMs: nowMs - 40_000 }, lost, nowMs - 40_000],
])('as of when it is, where %s', (_, source, link, expected) => {
  expect(shownAsOfMs(world(source), link)).toBe(expected);
});

function shown(source: Partial<SourceState>, link: EmbedLink): string {
  const snapshot = world(source);
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Freshness snapshot={snapshot} link={link} />
      <OldNotice snapshot={snapshot} link={link} />
    </ClockProvider>,
  );
  return document.body.textContent ?? '';
}

test('while Consul does not answer the page says as of when it is, in the zone of its reader', () => {
  shown({ state: 'down', staleSinceMs: nowMs - 40_000 }, live);
  expect(screen.getByRole('status').textContent).toMatch(`As of ${own(nowMs - 40_000)}`);
});

test('during a new read the page shows the time of its data', () => {
  const text = shown({ state: 'catching-up', staleSinceMs: nowMs - 40_000 }, live);
  expect(text).toContain(`as of ${own(nowMs - 40_000)}`);
});

test('of a link that shows nothing new any more that is said, as of when it is, and not that the server is away', () => {
  const text = shown({ state: 'live' }, { state: 'over', why: 'plain', sinceMs: nowMs - 10_000 });
  expect(text).toContain(embed.freshness.over);
  expect(text).toContain(embed.over.plain);
  // The last content is still there below.
  expect(text).toMatch(/shows no updates.*As of/);
  expect(text).toContain(`As of ${own(nowMs - 10_000)}`);
  expect(text).not.toContain(embed.freshness.lost(null));
});
