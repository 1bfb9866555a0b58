// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import type { SourceState } from '@/lib/domain/source-state';
import { OwnSight } from './own-sight';

afterEach(cleanup);

function shown(source: Partial<SourceState>) {
  const live = snapshotOf();
  const view = liveViewOf(
    { ...live, source: { ...live.source, ...source } },
    { state: 'live', sinceMs: nowMs },
  );
  return render(
    <Live view={view}>
      <OwnSight />
    </Live>,
  ).container.textContent?.replaceAll('\u00a0', ' ');
}

test('rights that are checked less often than usual are said to be, with how often', () => {
  expect(shown({})).toBe('');
  expect(shown({ rightsEveryMs: 15_000 })).toContain('checks yours every 15 s.');
  expect(shown({ sight: 'own' })).toContain('judges by what your token may read');
});
