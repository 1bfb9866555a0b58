// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, nowMs, snapshotOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import { serverClock } from '@/lib/client/server-clock';
import type { Evidence, Party } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { ObservedEnd, RenewalAgents, RenewalFact } from './renewal';

beforeEach(() => void vi.useFakeTimers({ now: nowMs }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});
const fact = (
  code: Evidence['code'],
  detail: string | null = null,
  atMs: number | null = null,
): Evidence => ({
  code,
  source: 'agent',
  detail,
  atMs,
});
const observed = { kind: 'observed', withinMs: 30_000, latestMs: null, lastRenewalMs: null } as const;

function shown(party: Party, over: Partial<Snapshot> = {}) {
  const { container } = render(
    <Live view={liveViewOf(snapshotOf(over))}>
      <ClockProvider first={{ nowMs: Date.now(), zone: 'UTC' }}>
        <dl>
          <RenewalFact party={party} />
        </dl>
        <ObservedEnd party={party} fallback="as its bound says" />
        <RenewalAgents />
      </ClockProvider>
    </Live>,
  );
  return (container.textContent ?? '').replaceAll('\u00a0', ' ');
}

test('while renewals come in time: the last one with its agent, when it is overdue, and the end with its basis', () => {
  const holder = holderOf(1, 'alive', { evidence: [fact('renewal-observed', 'a:8500')], expiry: observed });
  const lastMs = nowMs - 4_000;
  const text = shown(holder, { renewals: [{ id: holder.sessionId, lastMs, fromMs: lastMs }] });
  expect(text).toMatch(/Renewed 4 s ago, seen on agent a:8500\./);
  expect(text).toMatch(/Overdue in 11 s unless renewed\./);
  expect(text).toMatch(/\(26 s\) unless renewed: two TTLs after the last renewal/);
});

test('after a gap the end counts from when its agent was followed again', () => {
  const holder = holderOf(1, 'alive', { evidence: [fact('renewal-observed', 'a:8500')], expiry: observed });
  const lastMs = nowMs - 12_000;
  const text = shown(holder, { renewals: [{ id: holder.sessionId, lastMs, fromMs: lastMs + 9_000 }] });
  expect(text).toMatch(
    /Overdue in 12 s unless renewed, counted from when Signalbox followed its agent again\./,
  );
  expect(text).toMatch(/two TTLs after Signalbox followed its agent again/);
});

test('once they have stopped: the last one by the clock, for how long it is overdue, and its end', () => {
  const lastMs = nowMs - 20_000;
  const holder = holderOf(1, 'overdue', {
    evidence: [fact('renewal-observed', 'a:8500', lastMs)],
    expiry: { ...observed, latestMs: lastMs + 30_000, lastRenewalMs: lastMs },
  });
  const text = shown(holder);
  expect(text).toMatch(/Last renewal at .*, 20 s ago, seen on agent a:8500\./);
  expect(text).toMatch(/Overdue for 5 s\./);
  expect(text).toMatch(/\(10 s\)/);
});

test('where they are not observed, one line says why, and no instant is made up', () => {
  const text = shown(holderOf(1, 'alive', { evidence: [fact('renewals-not-observed', 'forbidden')] }));
  expect(text).toContain('agent:read');
  expect(text).toContain('as its bound says');
  expect(text).not.toMatch(/ago|Overdue/);
});

test('a session without renewals has no line about them', () => {
  shown(holderOf(1, 'immortal', { evidence: [fact('no-ttl')] }));
  expect(screen.queryByText('renewals')).toBeNull();
});

test.each([60_000, -60_000])(
  'a holder that renews is not called due by a browser whose clock is %i ms ahead',
  (aheadMs) => {
    vi.setSystemTime(nowMs + aheadMs);
    serverClock.hear(nowMs);
    vi.advanceTimersByTime(3_000);
    const holder = holderOf(1, 'alive', { evidence: [fact('renewal-observed', 'a:8500')], expiry: observed });
    const lastMs = nowMs - 1_000;
    const text = shown(holder, { renewals: [{ id: holder.sessionId, lastMs, fromMs: lastMs }] });
    expect(text).toMatch(/Renewed 4 s ago/);
    expect(text).toMatch(/Overdue in 11 s/);
    expect(text).toMatch(/\(26 s\) unless renewed: two TTLs/);
  },
);

test('a datacenter that is read through an agent of another one says so, and what is not seen unless agents there are followed', () => {
  const source = snapshotOf().source;
  const at = (agent: string) => ({ agent, state: 'observed', sinceMs: nowMs }) as const;
  const across = (...renewals: ReturnType<typeof at>[]) =>
    shown(holderOf(1, 'alive', { evidence: [fact('ttl', '15 s')], expiry: observed }), {
      source: { ...source, datacenter: 'west', across: { from: 'east' }, renewals },
    });
  const alone = across(at(source.origin));
  expect(alone).toContain('Signalbox reads the datacenter west through an agent of east.');
  expect(alone).toContain('calls none of their holders overdue');
  cleanup();
  expect(across(at('http://west:8500'))).not.toContain('overdue');
});
