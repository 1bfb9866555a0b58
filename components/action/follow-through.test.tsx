// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ClockProvider } from '@/components/clock';
import { Live, liveViewOf } from '@/components/fixture/live';
import { semaphoreOf, snapshotOf, waiterOf } from '@/components/fixture/world';
import type { Plan } from '@/lib/domain/plan';
import { en } from '@/lib/words/messages';
import { pin } from './follow';
import { FollowThrough } from './follow-through';
import { ActionGround } from './ground';

afterEach(cleanup);

const plan = { undo: { code: 'not-needed', facts: {}, action: null } } as unknown as Plan;
const outcome = { done: true, freed: [], after: null, warnings: [], parts: [] };
const world = (limit: number, ...waiting: number[]) =>
  snapshotOf({ semaphores: [semaphoreOf('s', { limit, waiters: waiting.map((n) => waiterOf(n)) })] });

test('after a new limit those who were seen at once to wait no longer stand in one line, and it is watched until the last', () => {
  const waiting = [11, 12, 13, 14, 15, 16, 17, 18];
  const before = world(3, ...waiting);
  const view = liveViewOf(before);
  const pinned = pin({ type: 'semaphore.resize', prefix: 's', limit: 4 }, before);
  const nowMs = Date.now();
  const state: React.ComponentProps<typeof FollowThrough>['state'] = {
    at: 'done',
    planned: { plan, expect: { entries: [], sessions: [] } },
    outcome,
    sentAtMs: nowMs,
    doneAtMs: nowMs,
  };
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Live view={view}>
        <ActionGround actionsOff={null}>
          <FollowThrough state={state} pinned={pinned} />
        </ActionGround>
      </Live>
    </ClockProvider>,
  );
  const show = (next: ReturnType<typeof world>) => act(() => void view.snapshot.set(next));
  show(world(4, ...waiting));
  expect(screen.getByText('limit is 4')).toBeDefined();
  show(world(4, 18));
  const line = 'worker-11, worker-12, worker-13, worker-14, worker-15 and 2 more wait no longer';
  expect(screen.getByText(line)).toBeDefined();
  const status = () => screen.getByRole('status').textContent;
  expect(status()).toBe(en.action.follow.watchingQueue);
  show(world(4));
  expect(screen.getByText('worker-18 waits no longer')).toBeDefined();
  expect(status()).toBe('');
});
