// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { lockOf, nowMs, semaphoreOf, snapshotOf, waiterOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { Action } from '@/lib/domain/actions/action';
import { pin } from '@/lib/domain/actions/aftermath';
import type { Plan } from '@/lib/domain/actions/plan';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { en } from '@/lib/i18n/messages';
import { ActionProvider } from './action-provider';
import { FollowThrough } from './follow-through';

beforeEach(() => void vi.useFakeTimers({ now: nowMs }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const plan = { undo: { code: 'not-needed', facts: {}, action: null } } as unknown as Plan;
const outcome = { done: true, freed: [], after: null, warnings: [], parts: [] };
const world = (limit: number, ...waiting: number[]) =>
  snapshotOf({ semaphores: [semaphoreOf('s', { limit, waiters: waiting.map((n) => waiterOf(n)) })] });

/** The end of a dialog on a page with this snapshot; returns the function that shows another world. */
function shown(action: Action, before: Snapshot) {
  const view = liveViewOf(before);
  const state: React.ComponentProps<typeof FollowThrough>['state'] = {
    at: 'done',
    planned: { plan, expect: {}, saw: { sessions: [], verdict: null } },
    outcome,
    sentAtMs: nowMs,
    doneAtMs: nowMs,
  };
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Live view={view}>
        <ActionProvider actionsOff={null}>
          <FollowThrough state={state} pinned={pin(action, before)} />
        </ActionProvider>
      </Live>
    </ClockProvider>,
  );
  return (next: Snapshot) =>
    act(() => {
      // Events of the same instant share a line.
      vi.advanceTimersByTime(1);
      view.snapshot.set(next);
    });
}

test('after a new limit those who were seen at once to wait no longer stand in one line, and it is watched until the last', () => {
  const waiting = [11, 12, 13, 14, 15, 16, 17, 18];
  const before = world(3, ...waiting);
  const show = shown({ type: 'semaphore.resize', source: 'consul', prefix: 's', limit: 4 }, before);
  show(world(4, ...waiting));
  expect(screen.getByText('limit is 4')).toBeDefined();
  show(world(4, 18));
  const line = 'worker-11, worker-12, worker-13, worker-14, worker-15 and 2 more no longer wait';
  expect(screen.getByText(line)).toBeDefined();
  const status = () => screen.getByRole('status').textContent;
  expect(status()).toBe(en.action.follow.watchingQueue);
  show(world(4));
  expect(screen.getByText('worker-18 no longer waits')).toBeDefined();
  expect(status()).toBe('');
});

test('a lock that is seen free is never said to be refused at the same time, and the countdown stands while it is', () => {
  const lock = (over: Parameters<typeof lockOf>[1]) => snapshotOf({ locks: [lockOf('k', over)] });
  const show = shown({ type: 'lock.release', source: 'consul', key: 'k', how: 'destroy-session' }, lock({}));
  const text = () => (document.body.textContent ?? '').replaceAll('\u00a0', ' ');
  const refused = /Consul refuses it to everyone for another \d+ s/;
  // It ends within the second that the page's clock shows.
  show(lock({ state: 'delayed', holder: null, delayedUntilMs: nowMs + 900 }));
  expect(text()).toMatch(refused);
  show(lock({ state: 'free', holder: null }));
  expect(text()).toContain('lock-delay over, lock is free');
  expect(text()).not.toMatch(refused);
});
