// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ActionProvider } from '@/components/actions/action-provider';
import { MendButton } from '@/components/actions/mend-button';
import { Table } from '@/components/board/table';
import { Findings } from '@/components/findings/findings';
import { Live, liveViewOf } from '@/components/fixture/live';
import { ghostFinding, holderOf, lockOf, nowMs, semaphoreOf, snapshotOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import { FreshnessWords } from '@/components/live/freshness';
import { SourcesRoot } from '@/components/live/sources-root';
import { LockView } from '@/components/subject/lock-view';
import type { Finding } from '@/lib/domain/findings/finding';
import type { SourceState } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { rowsOf } from '@/lib/view/board-rows';

afterEach(cleanup);

const { source: first } = snapshotOf();
const goneMs = nowMs - 60_000;
const other: SourceState = {
  ...first,
  id: 'other',
  title: 'Payments',
  state: 'down',
  staleSinceMs: goneMs,
  lastContactMs: goneMs,
  problem: { code: 'unavailable', why: { code: 'not-reached', facts: { errno: 'ECONNREFUSED' } } },
};
const both: SourceState = { ...first, state: 'down', parts: [first, other] };
const locks = [lockOf('a/leader'), lockOf('a/leader', { source: 'other', holder: holderOf(7) })];

function show(snapshot: Partial<Snapshot>, what: React.ReactNode) {
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Live view={liveViewOf(snapshotOf(snapshot))}>
        <ActionProvider actionsOff={null}>
          <SourcesRoot>{what}</SourcesRoot>
        </ActionProvider>
      </Live>
    </ClockProvider>,
  );
}

const nothing = () => {};
function board(snapshot: Partial<Snapshot>) {
  const rows = rowsOf(snapshotOf(snapshot)).map((row) => ({ row, gone: false, placed: row }));
  const steady = { rows, changes: 0, held: false, hold: nothing, release: nothing, applyNow: nothing };
  show(
    snapshot,
    <Table steady={steady} grouped={false} closed={[]} groups={undefined} onToggle={nothing} whole />,
  );
}

test('the same key in two sources is two rows with two links, and the old one alone is grey with its time', () => {
  board({ locks, source: both });
  const links = ['a/leader · Consul', 'a/leader · Payments'].map((name) =>
    screen.getByRole('link', { name }).getAttribute('href'),
  );
  expect(links).toEqual(['/lock?key=a%2Fleader', '/lock?key=a%2Fleader&source=other']);
  const [here, there] = ['lock:a/leader', 'other!lock:a/leader'].map((id) =>
    document.querySelector(`[data-row="${id}"]`),
  );
  expect(here?.querySelector('[data-source]')?.textContent).toBe('Consul');
  expect(there?.querySelector('[data-source]')?.textContent).toBe('Payments · as of 12:02:04');
  expect(here?.className).not.toContain('not-fresh');
  expect(there?.className).toContain('not-fresh');
});

test('with one source no row names it', () => {
  board({ locks: locks.slice(0, 1) });
  expect(document.querySelector('[data-source]')).toBeNull();
});

test('the header tells the state of each source, and of one alone as ever', () => {
  show({ source: both }, <FreshnessWords />);
  expect(screen.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
    expect.stringContaining('Consul live'),
    expect.stringContaining('Payments'),
  ]);
  cleanup();
  show({}, <FreshnessWords />);
  expect(screen.queryByRole('listitem')).toBeNull();
});

test('an action is blocked by the trouble of its own source, and by that of no other', () => {
  const release = (source: string) =>
    ({ type: 'lock.release', source, key: 'a/leader', how: 'destroy-session' }) as const;
  show(
    { locks, source: both },
    <>
      <MendButton action={release('consul')} />
      <MendButton action={release('other')} />
    </>,
  );
  const [here, there] = screen.getAllByRole('button');
  expect(here?.getAttribute('aria-disabled')).not.toBe('true');
  expect(there?.getAttribute('aria-disabled')).toBe('true');
});

test('a page shows the lock of its own source: an old address that of the first', () => {
  show({ locks, source: both }, <LockView name="a/leader" canAsk={false} />);
  expect(document.body.textContent).toContain('worker-1');
  expect(document.body.textContent).not.toContain('As of');
  cleanup();
  show({ locks, source: both }, <LockView name="a/leader" source="other" canAsk={false} />);
  expect(document.body.textContent).toContain('worker-7');
  expect(document.body.textContent).toContain('As of 12:02:04');
});

test('an address with a source that is not configured is told so, and leads to the same name elsewhere', () => {
  for (const source of [both, first]) {
    show({ locks, source }, <LockView name="a/leader" source="elsewhere" canAsk />);
    expect(screen.getByRole('heading').textContent).toBe('Signalbox has no source “elsewhere”.');
    expect(screen.queryByRole('button')).toBeNull();
    expect(document.querySelector('a[href="/lock?key=a%2Fleader"]')).not.toBeNull();
    expect(document.querySelector('a[href^="/history"]')).toBeNull();
    cleanup();
  }
});

test('an absent lock keeps the question to the backend while its source catches up', () => {
  show({ source: { ...first, state: 'catching-up' } }, <LockView name="gone" canAsk />);
  expect(screen.getAllByRole('button')).toHaveLength(1);
});

test('two findings of one name stand with their sources, and a prune of both is a plan for each', () => {
  const of = (source: string, id: string) =>
    ({
      ...ghostFinding('jobs'),
      id,
      subject: { source, kind: 'semaphore', prefix: 'jobs' } as const,
      mend: { type: 'semaphore.prune', source, prefixes: ['jobs'] },
    }) as Finding;
  const semaphores = [semaphoreOf('jobs'), semaphoreOf('jobs', { source: 'other' })];
  const findings = [
    of('other', 'ghost-slots other!semaphore:jobs'),
    of('consul', 'ghost-slots semaphore:jobs'),
  ];
  show({ semaphores, findings, source: both }, <Findings />);
  const badges = [...document.querySelectorAll('li [data-source]')].map((one) => one.textContent);
  expect(badges).toEqual(['Payments · as of 12:02:04', 'Consul']);
  fireEvent.click(screen.getByRole('checkbox', { name: /all/i }));
  const plans = screen.getAllByRole('button').map((one) => one.textContent ?? '');
  expect(plans.filter((text) => / · (Consul|Payments)/.test(text))).toHaveLength(2);
});
