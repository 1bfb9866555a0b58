// @vitest-environment happy-dom
/** What the history on a subject's page says. */
import { cleanup, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import { ClockProvider, StoppedClock } from '@/components/live/clock';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
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
