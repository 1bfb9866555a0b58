// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, nowMs, semaphoreOf, snapshotOf, waiterOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import { findingsOf } from '@/lib/domain/rules/table';
import { semaphoreSubject } from '@/lib/domain/subject';
import { Explained } from './explained';

afterEach(cleanup);

function heading(verdict: 'alive' | 'immortal', waitedMs: number): string | null {
  const since = { atMs: nowMs - waitedMs, basis: 'observed' } as const;
  const semaphore = semaphoreOf('s', {
    limit: 1,
    recorded: 1,
    effective: 1,
    holders: [holderOf(1, verdict)],
    waiters: [{ ...waiterOf(2), since }],
  });
  const snapshot = snapshotOf({ semaphores: [semaphore] });
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Live view={liveViewOf({ ...snapshot, findings: findingsOf(snapshot) })}>
        <Explained of={semaphoreSubject({ source: 'consul', prefix: 's' })} />
      </Live>
    </ClockProvider>,
  );
  return screen.queryByRole('heading')?.textContent ?? null;
}

test.each([
  ['a finding that needs a person', 'immortal', 60_000, 'Why it is stuck'],
  ['clients that have waited for long, and no finding', 'alive', 60_000, 'Why clients wait'],
  ['an ordinary wait', 'alive', 5_000, null],
] as const)('%s is headed by what is known', (_what, verdict, waitedMs, title) => {
  expect(heading(verdict, waitedMs)).toBe(title);
});
