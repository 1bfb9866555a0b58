// @vitest-environment happy-dom
/** The page of the history: what range it shows, and what it says of it. */
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { putAddress } from '@/components/fixture/address';
import { Live, liveViewOf } from '@/components/fixture/live';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import { ClockProvider, StoppedClock } from '@/components/live/clock';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { answerOf, waitOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { formatInstant } from '@/lib/i18n/format/format';
import { languages } from '@/lib/i18n/messages';
import { Happened } from './happened';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const { history } = languages.en;
const minuteMs = 60_000;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const fieldText = (atMs: number) => formatInstant(atMs, zone).replace(' ', 'T');

function open(search = '', answer: Partial<HistoryAnswer> = {}) {
  putAddress(search);
  const asked: URLSearchParams[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    const query = new URL(path, 'http://console.invalid').searchParams;
    asked.push(query);
    const whole = answerOf(nowMs, {
      from: query.has('to')
        ? Number(query.get('from'))
        : nowMs + Number.parseInt(query.get('from') ?? '', 10) * 1_000,
      to: Number(query.get('to') ?? nowMs),
      ...answer,
    });
    return Response.json(whole);
  });
  render(
    <Live view={liveViewOf(snapshotOf({}))}>
      <ClockProvider first={{ nowMs, zone }}>
        <StoppedClock atMs={nowMs}>
          <Suspense>
            <Happened />
          </Suspense>
        </StoppedClock>
      </ClockProvider>
    </Live>,
  );
  return asked;
}

const fill = (label: string, atMs: number) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: fieldText(atMs) } });

test('two fields choose any range, which is asked for, stands in the address, and is the report’s', async () => {
  const written: string[] = [];
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void written.push(text) },
  });
  const asked = open();
  await screen.findByText(history.page.nothing);
  const [fromMs, toMs] = [nowMs - 600 * minuteMs, nowMs - 570 * minuteMs];
  fill(history.ranges.from, fromMs);
  fill(history.ranges.to, toMs);
  fireEvent.click(screen.getByRole('button', { name: history.ranges.show }));
  await waitFor(() => expect(asked.at(-1)?.get('to')).toBe(String(toMs)));
  expect(asked.at(-1)?.get('from')).toBe(String(fromMs));
  await waitFor(() => expect(window.location.search).toMatch(new RegExp(`^\\?from=${fromMs}&to=${toMs}$`)));
  await screen.findByText(history.page.nothing);
  // Not before its answer is there.
  const report = screen.getByRole('button', { name: history.page.copy });
  await waitFor(() => expect(report.closest('.invisible')).toBeNull());
  fireEvent.click(report);
  await waitFor(() => expect(written).toHaveLength(1));
  expect(written[0]).toContain(
    history.report.range(formatInstant(fromMs, zone), formatInstant(toMs, zone), zone),
  );
});

test('what was read of one prefix is no report of another one', async () => {
  open();
  await screen.findByText(history.page.nothing);
  const report = screen.getByRole('button', { name: history.page.copy });
  await waitFor(() => expect(report.closest('.invisible')).toBeNull());
  // Its answer does not come.
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'jobs/' } });
  await waitFor(() => expect(report.closest('.invisible')).not.toBeNull());
});

test('a range that has no length or has not come yet is refused in words, and nothing is asked', async () => {
  const asked = open();
  await screen.findByText(history.page.nothing);
  const before = asked.length;
  fill(history.ranges.from, nowMs - 10 * minuteMs);
  fill(history.ranges.to, nowMs - 20 * minuteMs);
  fireEvent.click(screen.getByRole('button', { name: history.ranges.show }));
  expect(screen.getByRole('alert').textContent).toBe(history.ranges.wrong.order);
  fill(history.ranges.from, nowMs + 10 * minuteMs);
  fill(history.ranges.to, nowMs + 20 * minuteMs);
  fireEvent.click(screen.getByRole('button', { name: history.ranges.show }));
  expect(screen.getByRole('alert').textContent).toBe(history.ranges.wrong.future);
  expect(asked).toHaveLength(before);
  expect(window.location.search).toBe('');
});

test('steps and zoom move a range as on a timeline, and back at the present it goes on with it', async () => {
  const hour = 60 * minuteMs;
  const asked = open(`from=${nowMs - 2 * hour}&to=${nowMs - hour}`);
  await screen.findByText(history.page.nothing);
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
  press(history.ranges.earlier);
  await waitFor(() => expect(asked.at(-1)?.get('to')).toBe(String(nowMs - 1.5 * hour)));
  expect((screen.getByLabelText(history.ranges.to) as HTMLInputElement).value).toBe(
    fieldText(nowMs - 1.5 * hour),
  );
  press(history.ranges.closer);
  await waitFor(() => expect(asked.at(-1)?.get('from')).toBe(String(nowMs - 2 * hour)));
  press(history.ranges.wider);
  for (const _ of [1, 2, 3]) press(history.ranges.later);
  await waitFor(() => expect(asked.at(-1)?.get('from')).toBe('-3600s'));
  expect(asked.at(-1)?.get('to')).toBeNull();
});

test('a waiter that a person removed is among what happened, with who did it; one that got in is not', async () => {
  const deed = {
    seq: 1,
    by: 'ana',
    type: 'semaphore.remove-waiter',
    reason: 'it is dead',
    atMs: nowMs - 60_000,
  };
  const who = (label: string) => whoOf(label, { label });
  open('', {
    waits: [
      waitOf(nowMs - 120_000, nowMs - 60_000, { id: 'a', who: who('patience'), end: 'removed-here', deed }),
      waitOf(nowMs - 120_000, nowMs - 50_000, { id: 'b', who: who('lucky') }),
    ],
  });
  const row = await screen.findByText(/^patience waited 1\smin: removed from Signalbox, ana: it is dead$/);
  expect(row).toBeTruthy();
  expect(screen.queryByText(/lucky/)).toBeNull();
});
