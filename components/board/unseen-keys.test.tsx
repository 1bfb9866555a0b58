// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { lockOf, snapshotOf } from '@/components/fixture/world';
import type { SourceState } from '@/lib/domain/source-state';
import { rowsOf } from '@/lib/view/board-rows';
import { UnseenKeys } from './unseen-keys';

afterEach(cleanup);

const world = snapshotOf({ locks: [lockOf('orders/shard-1/lock')] });
const line = 'ERROR worker: timeout waiting for lock "Payments/settle/lock" after 300s';

function shown(q: string, source: Partial<SourceState> = {}) {
  const snapshot = { ...world, source: { ...world.source, ...source } };
  const { container } = render(
    <Live view={liveViewOf(snapshot)}>
      <UnseenKeys q={q} rows={rowsOf(snapshot)} />
    </Live>,
  );
  return container;
}

test("a pasted line's key that is not in view is shown as written, with its page", () => {
  const page = shown(line);
  expect(page.textContent).toBe('Not in view: Payments/settle/lock');
  expect(page.querySelector('a')?.getAttribute('href')).toBe('/lock?key=Payments%2Fsettle%2Flock');
});

test('nothing is said of a key that is in view, and nothing before anything was read', () => {
  expect(shown(line.replace('Payments/settle', 'orders/shard-1')).textContent).toBe('');
  expect(shown(line, { state: 'catching-up', lastContactMs: null }).textContent).toBe('');
});
