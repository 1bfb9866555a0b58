// @vitest-environment happy-dom
/** What the history on a subject's page says. */
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { putAddress } from '@/components/fixture/address';
import { Live, liveViewOf } from '@/components/fixture/live';
import { nowMs, snapshotOf } from '@/components/fixture/world';
import { ClockProvider, StoppedClock } from '@/components/live/clock';
import type { ShownRow } from '@/lib/domain/actions/deed';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { answerOf, holdOf, waitOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { formatTime } from '@/lib/i18n/format/format';
import { languages } from '@/lib/i18n/messages';
import { SubjectHistory } from './subject-history';

/** The address that the router renders; `null`: there is no router. */
const router = vi.hoisted(() => ({ search: null as string | null }));

vi.mock('next/navigation', async (original) => ({
  ...(await original<typeof import('next/navigation')>()),
  useSearchParams: () => (router.search === null ? null : new URLSearchParams(router.search)),
}));

afterEach(() => {
  router.search = null;
  cleanup();
  vi.unstubAllGlobals();
});

const { history } = languages.en;
const of = { source: 'consul', kind: 'lock', key: 'leader' } as const;
const minuteMs = 60_000;
const dayMs = 24 * 60 * 60 * 1_000;

function shown(answer: Partial<HistoryAnswer>, named = true, audit: readonly ShownRow[] = []) {
  const whole = answerOf(nowMs, { keptSinceMs: nowMs - 2 * dayMs, ...answer });
  vi.stubGlobal('fetch', async (path: string) =>
    Response.json(path.startsWith('/api/v1/audit') ? { rows: audit, older: null, part: false } : whole),
  );
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

test('a link to a range shows it, although the window has the old address until the page is there', async () => {
  const [fromMs, toMs] = [nowMs - 90 * minuteMs, nowMs - 30 * minuteMs];
  putAddress('at=1');
  router.search = `from=${fromMs}&to=${toMs}`;
  shown({});
  const label = history.label('leader', formatTime(fromMs, 'UTC'), formatTime(toMs, 'UTC'));
  expect(await screen.findByRole('application', { name: label })).toBeTruthy();
  cleanup();
  // Without a router the window has it.
  putAddress(router.search);
  router.search = null;
  shown({});
  expect(await screen.findByRole('application', { name: label })).toBeTruthy();
});

test('below several days stand dates alone', async () => {
  putAddress(`from=${nowMs - 5 * dayMs}&to=${nowMs}`);
  shown({});
  const drawn = await screen.findByRole('application');
  const labels = [...drawn.querySelectorAll('text')].map(({ textContent }) => textContent);
  expect(labels).toHaveLength(5);
  for (const label of labels) expect(label).toMatch(/^\d\d-\d\d$/);
});

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

test('where an answer left some out, what is usual is not said to be of all', async () => {
  const episodes = [1, 2, 3, 4, 5].map((s) => holdOf(nowMs - s * 9_000, nowMs - s * 9_000 + 1_000));
  shown({ episodes, more: true });
  expect(await screen.findByText(/of 5 in the last 24 h, which are not all$/)).toBeTruthy();
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

test('after an outage the line does not say that nobody took the lock, nor who came first', async () => {
  const endMs = nowMs - 3 * 60 * minuteMs;
  const deed = { seq: 1, by: 'ana', type: 'lock.release', reason: 'it hangs', atMs: endMs };
  const removed = holdOf(endMs - minuteMs, endMs, { id: 'removed', end: 'evicted-here', deed });
  const next = holdOf(endMs + 40 * minuteMs, null, { id: 'n', who: whoOf('w', { label: 'worker-5' }) });
  const [fromMs, toMs] = [endMs + minuteMs, endMs + 34 * minuteMs];
  const gaps = [{ id: 'g', source: 'consul', fromMs, toMs, why: 'outage' }] as const;
  shown({ episodes: [removed], gaps });
  const { recovery } = history;
  expect(
    await screen.findByText(recovery.nobodyBy(formatTime(fromMs, 'UTC')), { exact: false }),
  ).toBeTruthy();
  expect(screen.queryByText(recovery.nobody, { exact: false })).toBeNull();
  cleanup();
  shown({ episodes: [removed, next], gaps });
  expect(await screen.findByText(recovery.nextSeen('worker-5'), { exact: false })).toBeTruthy();
});

const observed = (atMs: number) => ({ atMs, basis: 'observed' }) as const;
const deed = { seq: 1, by: 'ana', type: 'lock.release', reason: 'it hangs', atMs: nowMs - 5 * minuteMs };
const eventful: Partial<HistoryAnswer> = {
  episodes: [
    holdOf(nowMs - 50 * minuteMs, nowMs - 5 * minuteMs, {
      end: 'evicted-here',
      deed,
      token: '7',
      verdicts: [
        { verdict: 'alive', atMs: nowMs - 50 * minuteMs },
        { verdict: 'overdue', atMs: nowMs - 20 * minuteMs },
      ],
    }),
  ],
  waits: [waitOf(nowMs - 8 * minuteMs, nowMs - 4 * minuteMs, { who: whoOf('w', { label: 'patience' }) })],
  findings: [
    {
      id: 'f',
      code: 'overdue-holder',
      subject: of,
      from: observed(nowMs - 19 * minuteMs),
      to: observed(nowMs - 5 * minuteMs),
      severities: [
        { severity: 'warning', atMs: nowMs - 19 * minuteMs },
        { severity: 'urgent', atMs: nowMs - 9 * minuteMs },
      ],
      cleared: 'action',
      deed,
    },
  ],
  limits: [{ id: 'l', subject: of, before: 1, after: 2, at: observed(nowMs - 3 * minuteMs), deed: null }],
  gaps: [
    { id: 'g', source: 'consul', fromMs: nowMs - 60 * minuteMs, toMs: nowMs - 55 * minuteMs, why: 'outage' },
  ],
};

test('the table has all that is drawn: holds and their verdicts, waits, findings, limits, actions and gaps', async () => {
  shown(eventful);
  const summary = await screen.findByText(history.table);
  const details = summary.closest('details');
  if (details === null) throw new Error('no details');
  details.open = true;
  fireEvent(details, new Event('toggle'));
  const table = await screen.findByRole('table');
  const rows = within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.querySelectorAll('td')].map(({ textContent }) => textContent ?? ''));
  expect(rows.map(([, , what, who, , how]) => [what, who, how])).toEqual([
    ['limit', '', 'limit changed from 1 to 2'],
    ['action', '', 'release a lock, ana: it hangs'],
    ['wait', 'patience', 'got in'],
    ['severity', '', expect.stringMatching(/: now urgent$/)],
    ['finding', '', expect.stringMatching(/; cleared by an action of Signalbox, ana: it hangs$/)],
    ['verdict', 'a', 'overdue'],
    ['hold', 'a', 'removed from Signalbox, ana: it hangs; fencing token 7'],
    ['gap', '', 'not watched: outage'],
  ]);
  expect(rows.every(([from]) => /^\d\d:\d\d:\d\d$/.test(from ?? ''))).toBe(true);
});

test('arrow keys walk holds and marks alike, in their order', async () => {
  const { container } = shown(eventful);
  const timeline = await screen.findByRole('application');
  const status = container.querySelector('[role=status]');
  const said: string[] = [];
  for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight']) {
    fireEvent.keyDown(timeline, { key });
    said.push(status?.textContent ?? '');
  }
  expect(said).toEqual([
    expect.stringContaining('not watched: outage'),
    expect.stringMatching(/^a held 45\smin from .*: removed from Signalbox, ana: it hangs; fencing token 7$/),
    expect.stringMatching(/^\d.* to \d.*ana: it hangs/),
    expect.stringMatching(/: release a lock, ana: it hangs$/),
    expect.stringMatching(/: limit changed from 1 to 2$/),
    // There is no further one.
    said[4],
  ]);
});

test('an action that left no trace in a hold has its flag, too, and one that is in both has one', async () => {
  const row = (
    thread: string,
    kind: 'intent' | 'outcome',
    atMs: number,
    action: 'lock.wake' | 'lock.release',
  ): ShownRow => ({
    kind,
    thread,
    who: { kind: 'anonymous' },
    address: null,
    action,
    subjects: ['lock:leader'],
    reason: kind === 'intent' ? 'it sleeps' : '',
    detail: kind === 'outcome' ? { outcome: 'done' } : {},
    atMs,
    replica: 'r',
  });
  const audit = [
    row('w', 'outcome', nowMs - 2 * minuteMs, 'lock.wake'),
    row('w', 'intent', nowMs - 2 * minuteMs - 40, 'lock.wake'),
    row('r', 'outcome', deed.atMs, 'lock.release'),
    row('r', 'intent', deed.atMs - 40, 'lock.release'),
    // Its outcome is not there: it may not have been written.
    row('x', 'intent', nowMs - minuteMs, 'lock.wake'),
  ];
  const { container } = shown(eventful, true, audit);
  await vi.waitFor(() => expect(container.querySelectorAll('[data-mark=deed]')).toHaveLength(2));
  const flags = [...container.querySelectorAll('[data-mark=deed] title')].map(
    ({ textContent }) => textContent,
  );
  expect(flags).toEqual([
    expect.stringMatching(/: release a lock, ana: it hangs$/),
    expect.stringMatching(/wake.*, anonymous: it sleeps$/),
  ]);
});
