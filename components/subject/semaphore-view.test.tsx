// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ActionProvider } from '@/components/actions/action-provider';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, nowMs, semaphoreOf, snapshotOf, waiterOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { Holder, Semaphore } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import { SemaphoreView } from './semaphore-view';

afterEach(cleanup);

/** The first button below the state of `s`. */
function firstAction(...semaphores: Semaphore[]): string | null {
  const findings = findingsOf({ locks: [], semaphores, sessions: [] });
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Live view={liveViewOf(snapshotOf({ semaphores, findings }))}>
        <ActionProvider actionsOff={null}>
          <SemaphoreView prefix="s" />
        </ActionProvider>
      </Live>
    </ClockProvider>,
  );
  return screen.getAllByRole('button', { name: /^(Evict|Prune|Resize)/ })[0]?.textContent ?? null;
}
const held = (prefix: string, holders: Holder[], ...waiters: number[]) =>
  semaphoreOf(prefix, { limit: holders.length, holders, waiters: waiters.map(waiterOf) });

test('the action against the sick holder stands on top, before those of the others', () => {
  expect(firstAction(held('s', [holderOf(1), holderOf(2, 'suspect')], 3))).toBe('Evict worker-2');
  cleanup();
  expect(firstAction(held('s', [holderOf(1, 'node-bound'), holderOf(2, 'immortal')], 3))).toBe(
    'Evict worker-2',
  );
});

test('in a deadlock the page offers who holds something here, not who only waits here', () => {
  expect(firstAction(held('s', [holderOf(1)], 2), held('t', [holderOf(2)], 1))).toBe('Evict worker-1');
  expect(screen.getByText(/^Deadlock: /)).toBeTruthy();
});

test('where nothing is wrong, no eviction stands on top', () => {
  expect(firstAction(held('s', [holderOf(1)], 2))).toBe('Resize…');
});
