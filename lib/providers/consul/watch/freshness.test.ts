import { expect, test } from 'vitest';
import type { Problem } from '@/lib/domain/problem';
import { type FreshnessFacts, freshness } from './freshness';
import { newReadings } from './readings';

const unknown: Problem = { code: 'signed-out', why: { code: 'token-unknown', facts: {} } };

function facts(refusal: Problem | null, asksWithToken: boolean): FreshnessFacts {
  const readings = newReadings(['']);
  for (const one of readings.roots) one.problem = unknown;
  const link = { state: 'up', leader: true, refusal } as const;
  return { link, readings, shown: true, afterGap: true, late: false, behindMs: 0, asksWithToken };
}

test('that the token is not known is the word of the heartbeat: a server that has just started knows none', () => {
  expect(freshness(facts(null, true))).toEqual({ state: 'catching-up', problem: null });
  expect(freshness(facts(unknown, true))).toEqual({ state: 'stale', problem: unknown });
});

test('where no heartbeat asks with a token, a read that says so is believed', () => {
  expect(freshness(facts(null, false))).toEqual({ state: 'stale', problem: unknown });
});

test('news that has been on its way for long is not ignored: the view is not called live meanwhile', () => {
  const read = { ...facts(null, false), afterGap: false };
  for (const one of [...read.readings.roots, read.readings.sessions])
    Object.assign(one, { problem: null, current: true });
  expect(freshness(read)).toEqual({ state: 'live', problem: null });
  expect(freshness({ ...read, behindMs: 10_000 })).toEqual({ state: 'catching-up', problem: null });
  // Everything is read and the first view is still being made: live would claim an empty Consul.
  expect(freshness({ ...read, shown: false })).toEqual({ state: 'catching-up', problem: null });
});
