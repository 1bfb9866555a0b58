// @vitest-environment happy-dom
/** What the history on a subject's page says. */
import { cleanup, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import { ClockProvider, StoppedClock } from '@/components/live/clock';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { holdOf, waitOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { languages } from '@/lib/i18n/messages';
import { SubjectHistory } from './subject-history';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const { history } = languages.en;
const of = { source: 'consul', kind: 'lock', key: 'leader' } as const;
const dayMs = 24 * 60 * 60 * 1_000;

function shown(answer: Partial<HistoryAnswer>, named = true) {
  const whole: HistoryAnswer = {
    from: nowMs - dayMs,
    to: nowMs,
    keptSinceMs: nowMs - 2 * dayMs,
    awaySinceMs: null,
    off: false,
    episodes: [],
    waits: [],
    findings: [],
    limits: [],
    gaps: [],
    hours: [],
    more: false,
    folded: false,
    ...answer,
  };
  vi.stubGlobal('fetch', async () => Response.json(whole));
  return render(
    <Live view={liveViewOf(snapshotOf({}))}>
      <ClockProvider first={{ nowMs, zone: 'UTC' }}>
        <StoppedClock atMs={nowMs}>
          <Suspense>
            <SubjectHistory of={of} named={named} />
          </Suspense>
        </StoppedClock>
      </ClockProvider>
    </Live>,
  );
}

test('where holders cannot be known it is not said, nor drawn, that nobody held', async () => {
  const { container } = shown({}, false);
  expect(await screen.findByText(history.unnamed, { exact: false, selector: 'p' })).toBeTruthy();
  expect(container.textContent).not.toContain(history.none);
  expect(container.querySelectorAll('[data-holders="unknown"]')).toHaveLength(1);
  cleanup();
  const named = shown({});
  expect(await screen.findByText(history.none, { exact: false })).toBeTruthy();
  expect(named.container.querySelectorAll('[data-holders="unknown"]')).toHaveLength(0);
});

const minuteMs = 60_000;

test('beside the current hold stands what is usual, of what is only counted too, and of waits', async () => {
  const hour = {
    subject: of,
    hourMs: nowMs - (nowMs % (60 * minuteMs)),
    holds: 1_200,
    heldMs: 1,
    holdP50Ms: 40_000,
    holdP95Ms: 70_000,
    holdMaxMs: 90_000,
    waits: 0,
    waitP50Ms: null,
    waitP95Ms: null,
    waitMaxMs: null,
    lost: 0,
  };
  const current = holdOf(nowMs - 17 * minuteMs, null);
  const waits = [1, 2, 3, 4, 5].map((s) => waitOf(nowMs - 60_000, nowMs - 60_000 + s * 1_000));
  shown({ episodes: [current], hours: [hour], waits });
  const line = await screen.findByText(/^Held 17\smin; usual ≈ 40\ss/);
  expect(line.textContent).toMatch(/p95 ≈ 1\smin\s10\ss, longest 1\smin\s30\ss, of 1,200 in the last 24 h/);
  expect(screen.getByText(/^Usual wait 3\ss/).textContent).toMatch(/longest 5\ss, of 5 /);
});

test('after an action its outcome says since when it is stable, also hours later, and goes when dismissed', async () => {
  const endMs = nowMs - 3 * 60 * minuteMs;
  const deed = { seq: 1, by: 'ana', type: 'lock.release', reason: 'it hangs', atMs: endMs };
  const removed = holdOf(endMs - minuteMs, endMs, { id: 'removed', end: 'evicted-here', deed });
  const next = holdOf(endMs + 24, null, { id: 'next', who: whoOf('worker-5', { label: 'worker-5' }) });
  shown({ episodes: [removed, next] });
  const line = await screen.findByText(
    /by ana: it hangs; taken by worker-5 after 24\sms; stable for 2\sh\s59\smin$/,
  );
  screen.getByRole('button', { name: 'Dismiss' }).click();
  await vi.waitFor(() => expect(line.isConnected).toBe(false));
});
