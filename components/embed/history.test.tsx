// @vitest-environment happy-dom
/** What an embedded history says of itself. */
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { nowMs } from '@/components/fixture/world';
import { ClockProvider, StoppedClock } from '@/components/live/clock';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { answerOf } from '@/lib/domain/history/fixture/episodes';
import { historyWords } from '@/lib/i18n/embed-history';
import EmbedHistory from './history';
import { EmbedLanguage } from './words';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const answer = answerOf(nowMs, { keptSinceMs: nowMs - 86_400_000 });

function shown(over: Partial<HistoryAnswer>, named = true) {
  vi.stubGlobal('fetch', async () => Response.json({ ...answer, ...over }));
  return render(
    <EmbedLanguage language="en">
      <ClockProvider first={{ nowMs, zone: 'UTC' }}>
        <StoppedClock atMs={nowMs}>
          <EmbedHistory name="leader" named={named} queues={false} />
        </StoppedClock>
      </ClockProvider>
    </EmbedLanguage>,
  );
}

test('it says since when nothing is kept, and nothing of it while all is kept', async () => {
  shown({ awaySinceMs: nowMs - 60_000 });
  expect(await screen.findByText(/Nothing is kept since \d\d:\d\d:\d\d/)).toBeTruthy();
  cleanup();
  shown({});
  expect(await screen.findByText(historyWords.en.none, { exact: false })).toBeTruthy();
  expect(screen.queryByText(/Nothing is kept since/)).toBeNull();
});

test('where holders cannot be known it does not say that nobody held', async () => {
  shown({}, false);
  expect(await screen.findByText(historyWords.en.unnamed, { exact: false, selector: 'p' })).toBeTruthy();
  expect(screen.queryByText(historyWords.en.none, { exact: false })).toBeNull();
});
