// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ActionContext } from '@/components/actions/action-context';
import { Live, liveViewOf } from '@/components/fixture/live';
import {
  ghostFinding,
  holderOf,
  idOf,
  lockOf,
  nowMs,
  semaphoreOf,
  snapshotOf,
  waiterOf,
} from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { Finding } from '@/lib/domain/findings/finding';
import { findingsOf } from '@/lib/domain/rules/table';
import { semaphoreSubject, sessionSubject } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { DialogRequest } from '@/lib/view/actions/request';
import { rowsOf } from '@/lib/view/board-rows';
import { Row } from './row';

afterEach(cleanup);

const nothing = () => undefined;

/** The first row of this world; what it asks for is in the result. */
function show(snapshot: Snapshot, narrow = false): readonly DialogRequest[] {
  const [row] = rowsOf(snapshot);
  if (row === undefined) throw new Error('The board has no row.');
  const asked: DialogRequest[] = [];
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Live view={liveViewOf(snapshot)}>
        <ActionContext value={{ actionsOff: null, ask: (request) => asked.push(request) }}>
          <table>
            <tbody>
              <Row
                row={row}
                gone={false}
                narrow={narrow}
                active
                index={0}
                measure={nothing}
                onMenu={nothing}
              />
            </tbody>
          </table>
        </ActionContext>
      </Live>
    </ClockProvider>,
  );
  return asked;
}

/** What describes the link of the row: why it needs attention. */
function why(): string {
  const id = screen.getByRole('link').getAttribute('aria-describedby');
  return document.getElementById(id ?? '')?.textContent ?? '';
}

function card(snapshot: Snapshot): string {
  show(snapshot, true);
  return (
    [...document.querySelectorAll('td')].find((cell) => cell.className.includes('md:hidden'))?.textContent ??
    ''
  );
}

test('the card of a semaphore in a deadlock says so, and who holds it', () => {
  const semaphores = [semaphoreOf('s', { limit: 1, holders: [holderOf(1)], waiters: [waiterOf(2)] })];
  const deadlock = { ...ghostFinding('s'), code: 'deadlock', id: 'deadlock s' } as unknown as Finding;
  const text = card(snapshotOf({ semaphores, findings: [deadlock] }));
  expect(text).toContain('worker-1 · node-1');
  expect(text).toContain('1 of 1 slots held, 1 waiting. It is in a deadlock.');
});

test('the card of a semaphore without holders names none', () => {
  const text = card(snapshotOf({ semaphores: [semaphoreOf('s', { holders: [] })] }));
  expect(text).toMatch(/^0 of 3 slots held/);
});

test('a row says why it needs attention, and its button asks for the action that its findings recommend', () => {
  const semaphores = [
    semaphoreOf('s', { holders: [holderOf(1), holderOf(2, 'ghost'), holderOf(3, 'ghost')] }),
  ];
  const asked = show(snapshotOf({ semaphores, findings: [ghostFinding('s')] }));
  expect(why()).toBe('urgent: Two slots leak: their sessions hold nothing here.');
  fireEvent.click(screen.getByRole('button', { name: 'Prune 2 ghosts · s' }));
  expect(asked).toMatchObject([
    { action: { type: 'semaphore.prune', prefixes: ['s'] }, semaphore: { prefix: 's' } },
  ]);
});

test('a row in a deadlock offers the holder that is here, never one that only waits here', () => {
  const evict = (prefix: string, n: number) =>
    ({
      type: 'semaphore.evict',
      source: 'consul',
      prefix,
      sessionId: idOf(n),
      how: 'destroy-session',
    }) as const;
  const ground = (prefix: string, n: number) => ({
    subject: sessionSubject({ source: 'consul', id: idOf(n) }),
    label: `worker-${n}`,
    verdict: 'alive' as const,
    evidence: [],
    wants: [],
    mend: evict(prefix, n),
  });
  const deadlock: Finding = {
    id: 'deadlock semaphore:credit',
    code: 'deadlock',
    severity: 'urgent',
    easing: null,
    subject: semaphoreSubject({ source: 'consul', prefix: 'credit' }),
    also: [semaphoreSubject({ source: 'consul', prefix: 'debit' })],
    facts: { clients: 2, first: 'worker-2', second: 'worker-1', behind: 0, owners: 0 },
    grounds: [ground('credit', 2), ground('debit', 1)],
    mend: evict('credit', 2),
  };
  const debit = semaphoreOf('debit', { limit: 1, holders: [holderOf(1)], waiters: [waiterOf(2)] });
  show(snapshotOf({ semaphores: [debit], findings: [deadlock] }));
  expect(why()).toBe('urgent: It is in a deadlock.');
  expect(screen.getByRole('button', { name: /^Evict/ }).textContent).toBe('Evict worker-1');
});

test('a lock that only a person can free has its mark, its reason and no action', () => {
  const locks = [
    lockOf('forgotten', {
      holder: holderOf(1, 'immortal', {
        expiry: { kind: 'never', withinMs: null, latestMs: null, lastRenewalMs: null },
      }),
    }),
  ];
  show(snapshotOf({ locks, findings: findingsOf({ locks, semaphores: [], sessions: [] }) }));
  expect(screen.getByText('△')).toBeTruthy();
  expect(why()).toBe('warning: Held by worker-1. Only a person can free it.');
  expect(screen.queryByRole('button', { name: /^(Release|Evict)/ })).toBeNull();
});

test('a row that is in order has no reason and no action', () => {
  show(snapshotOf({ locks: [lockOf('calm')] }));
  expect(why()).toBe('');
  expect(screen.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
    'Menu of calm',
  ]);
});

test.each([
  [
    'a lock of which no holder is known',
    snapshotOf({ locks: [lockOf('a', { state: 'unknown', holder: null })] }),
  ],
  [
    'a semaphore whose holders are not readable',
    snapshotOf({ semaphores: [semaphoreOf('s', { holders: [], recorded: null, effective: null })] }),
  ],
])('%s is never said to have none', (_, snapshot) => {
  show(snapshot);
  expect(screen.queryByText('no holder')).toBeNull();
  expect(screen.getAllByText('unknown').length).toBeGreaterThan(0);
});

test('a free lock has no holder', () => {
  show(snapshotOf({ locks: [lockOf('a', { state: 'free', holder: null })] }));
  expect(screen.getByText('no holder')).toBeDefined();
});
