// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import type { SourceState } from '@/lib/domain/source-state';
import { EmptyOld } from './empty-old';

afterEach(cleanup);

function shown(source: Partial<SourceState>, connection: 'live' | 'lost') {
  const { source: live } = snapshotOf();
  const view = liveViewOf(snapshotOf({ source: { ...live, ...source } }), {
    state: connection,
    sinceMs: nowMs,
  });
  const { container } = render(
    <Live view={view}>
      <EmptyOld none="Nothing is in view." />
    </Live>,
  );
  return container.textContent;
}

const unread = { state: 'down', staleSinceMs: null } as const;

test('an empty list that was read has its time, whichever link is broken', () => {
  for (const text of [
    shown({}, 'lost'),
    shown({ state: 'down', staleSinceMs: nowMs }, 'live'),
    shown({ state: 'stale', staleSinceMs: nowMs }, 'lost'),
  ])
    expect(text).toMatch(/^As of \d\d:\d\d:\d\d: Nothing is in view\.Later changes are unknown/);
});

test('where nothing was read yet the one that does not answer is named, and nothing is called empty', () => {
  expect(shown(unread, 'live')).toMatch(/^Signalbox has read nothing yet\./);
  const lost = shown(unread, 'lost');
  expect(lost).toMatch(/lost its connection to Signalbox/);
  expect(lost).not.toMatch(/Consul|in view/);
});
