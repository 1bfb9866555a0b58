import { expect, test } from 'vitest';
import type { Evidence, Holder } from '@/lib/domain/model';
import { fact } from '@/lib/domain/verdict';
import { leaseArgs, leaseOf } from './lease';

const id = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f:41';
const nowMs = 1_000_000;

function holder(evidence: readonly Evidence[] = [], withinMs: number | null = null, sessionId = id): Holder {
  return {
    sessionId,
    session: null,
    verdict: 'alive',
    evidence,
    since: null,
    expiry: { kind: 'lease', withinMs, latestMs: null, lastRenewalMs: null },
    value: null,
    label: '',
  };
}

const lease = (of: Holder, endsMs: number | null = nowMs + 20_000, token = '') =>
  leaseOf({ endsMs, nowMs, token }, of);

test('a watchdog leaves at most its lease, of which two thirds are left when it renews', () => {
  expect(lease(holder())).toEqual({ endsMs: nowMs + 20_000, rule: 'renewed', longestMs: 32_000 });
});

test('a lease that was seen to be renewed is bounded by its own length', () => {
  const renewed = holder([fact('redis-lease-renewed', '30 s')], 30_000);
  expect(lease(renewed, nowMs + 1_000)).toMatchObject({ rule: 'renewed', longestMs: 32_000 });
});

test('the end of a lease that nobody renews must not move', () => {
  expect(lease(holder([fact('redis-lease-fixed')])).rule).toBe('fixed');
});

test('a fencing token tells holds apart, so that the lease does not matter', () => {
  expect(lease(holder([fact('redis-lease-fixed')]), nowMs + 20_000, '17').rule).toBe('any');
});

test('a renewal may bring the end of a re-entered writer forward', () => {
  expect(lease(holder([], null, `${id}:write`)).rule).toBe('written');
});

test('no lease is sent as -1, as Redis says it', () => {
  expect(leaseArgs(lease(holder(), null))).toEqual(['-1', 'renewed', '2000']);
});
