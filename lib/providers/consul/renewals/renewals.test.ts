import fc from 'fast-check';
import { expect, test } from 'vitest';
import { phaseOf } from '@/lib/domain/renewal';
import type { SessionRow } from '@/lib/providers/consul/client/wire';
import { sessionRowOf } from '@/lib/providers/consul/fixture/rows';
import { createRenewals } from './renewals';

const ttlMs = 10_000;
const row = (id: string): SessionRow => sessionRowOf(id, { ttlMs });
function watching(agents = ['a'], sessions = ['s']) {
  const renewals = createRenewals(agents, 'http://main');
  for (const agent of agents) {
    renewals.watched({ agent, state: 'observed', sinceMs: 0 });
    renewals.proved(agent, 1e9);
  }
  renewals.keep(sessions.map(row), 0);
  const phase = (nowMs: number) => phaseOf(ttlMs, renewals.of('s'), nowMs).phase;
  return { renewals, phase };
}

test('the first renewal is news, one in time is not, and one that was overdue is', () => {
  const { renewals, phase } = watching();
  expect(renewals.saw('a', 's', 1_000)).toBe(true);
  expect(renewals.saw('a', 's', 6_000)).toBe(false);
  expect(renewals.wakeAtMs(6_000)).toBe(6_000 + ttlMs + 1_000);
  expect(phase(18_000)).toBe('overdue');
  expect(renewals.saw('a', 's', 18_000)).toBe(true);
  expect(phase(18_000)).toBe('on-time');
});

test('a gap in the stream of its agent ends every conclusion, and silence counts from its end', () => {
  const { renewals, phase } = watching();
  renewals.saw('a', 's', 1_000);
  renewals.watched({ agent: 'a', state: 'connecting', sinceMs: null });
  expect(phase(13_000)).toBe('broken');
  expect(renewals.of('s').why).toBe('connecting');
  renewals.watched({ agent: 'a', state: 'observed', sinceMs: 13_000 });
  expect(phase(14_000)).toBe('on-time');
  expect(phase(24_000)).toBe('overdue');
});

test('silence is proven by each of its agents, and by no other', () => {
  const { renewals, phase } = watching(['a', 'b', 'c']);
  renewals.saw('a', 's', 1_000);
  renewals.saw('b', 's', 2_000);
  renewals.proved('c', 3_000);
  expect(phase(14_000)).toBe('overdue');
  renewals.proved('b', 12_999);
  expect(phase(14_000)).toBe('on-time');
  expect(renewals.wakeAtMs(14_000)).toBe(15_000);
  renewals.proved('b', 13_000);
  expect(phase(14_000)).toBe('overdue');
});

test('an agent that is no longer followed ends every conclusion, until a renewal goes through another one', () => {
  const { renewals, phase } = watching(['a', 'b']);
  renewals.saw('a', 's', 1_000);
  renewals.saw('b', 's', 2_000);
  renewals.unfollowed('a');
  expect(renewals.watches.map(({ agent }) => agent)).toEqual(['b']);
  expect(phase(14_000)).toBe('broken');
  expect(renewals.of('s').why).toBe('left');
  expect(renewals.saw('b', 's', 15_000)).toBe(true);
  expect(renewals.of('s').seen?.agents).toBe('b');
  expect(phase(20_000)).toBe('on-time');
  expect(phase(27_000)).toBe('overdue');
  // Nothing that was proved before counts when it is followed again.
  renewals.watched({ agent: 'a', state: 'observed', sinceMs: 30_000 });
  renewals.saw('a', 's', 31_000);
  expect(phase(50_000)).toBe('on-time');
});

test('where no servers are named any more, no server is said to have left', () => {
  const { renewals } = watching(['a']);
  renewals.saw('a', 's', 1_000);
  renewals.unfollowed('a');
  renewals.watched({ agent: 'asked', state: 'no-servers', sinceMs: null });
  expect(renewals.of('s').why).toBe('no-servers');
});

test('a gap on an agent that it was never renewed on changes nothing', () => {
  const { renewals, phase } = watching(['a', 'b']);
  renewals.saw('a', 's', 1_000);
  renewals.watched({ agent: 'b', state: 'unreachable', sinceMs: null });
  expect(phase(13_000)).toBe('overdue');
});

test('a session renewed through two agents is overdue only when both are silent and followed', () => {
  const { renewals, phase } = watching(['a', 'b']);
  renewals.saw('a', 's', 1_000);
  expect(renewals.saw('b', 's', 2_000)).toBe(true);
  expect(renewals.of('s').seen?.agents).toBe('a, b');
  renewals.watched({ agent: 'b', state: 'unreachable', sinceMs: null });
  expect(phase(14_000)).toBe('broken');
});

test('a session that outlives the silence is renewed elsewhere, until it has come in time for two TTLs', () => {
  const { renewals, phase } = watching();
  renewals.saw('a', 's', 0);
  expect(phase(26_000)).toBe('elsewhere');
  expect(renewals.saw('a', 's', 30_000)).toBe(true);
  expect(phase(42_000)).toBe('elsewhere');
  for (let atMs = 45_000; atMs <= 60_000; atMs += 5_000) renewals.saw('a', 's', atMs);
  expect(phase(61_000)).toBe('elsewhere');
  expect(renewals.saw('a', 's', 65_000)).toBe(true);
  expect(phase(66_000)).toBe('on-time');
});

test('an election is news for every session that was renewed before it', () => {
  const { renewals, phase } = watching();
  renewals.saw('a', 's', 1_000);
  renewals.restarted(12_500);
  expect(phase(13_000)).toBe('on-time');
  expect(renewals.saw('a', 's', 14_000)).toBe(true);
});

test('a renewal that the log shows before the list shows its session is not forgotten', () => {
  const { renewals, phase } = watching(['a'], ['old']);
  renewals.saw('a', 's', 1_000);
  renewals.keep([row('old'), row('other')], 1_100);
  renewals.keep([row('old'), row('s')], 1_200);
  expect(phase(2_000)).toBe('on-time');
});

test('a session that was listed is forgotten at once when it is no longer', () => {
  const { renewals } = watching();
  renewals.saw('a', 's', 1_000);
  renewals.keep([], 1_100);
  expect(renewals.of('s').seen).toBeNull();
});

test('of sessions that no list has shown, only some are kept, and not for long', () => {
  const { renewals } = watching();
  renewals.saw('a', 's', 1_000);
  renewals.saw('a', 'never-listed', 1_000);
  renewals.keep([row('s')], 30_000);
  expect(renewals.of('never-listed').seen).not.toBeNull();
  renewals.keep([row('s')], 32_000);
  expect(renewals.of('never-listed').seen).toBeNull();
  for (let n = 0; n < 60_000; n += 1) renewals.saw('a', `unknown-${n}`, 32_000);
  expect(renewals.of('unknown-49000').seen).not.toBeNull();
  expect(renewals.of('unknown-59999').seen).toBeNull();
  expect(renewals.of('s').seen?.lastMs).toBe(1_000);
});

test('where nothing is observed the best reason is given', () => {
  const renewals = createRenewals(['a', 'b'], 'http://main');
  renewals.watched({ agent: 'a', state: 'unreachable', sinceMs: null });
  renewals.watched({ agent: 'b', state: 'forbidden', sinceMs: null });
  expect(renewals.of('s').why).toBe('forbidden');
  renewals.watched({ agent: 'a', state: 'observed', sinceMs: 1 });
  expect(renewals.of('s').why).toBe('unseen');
  const off = createRenewals([], 'http://main');
  expect(off.of('s').why).toBe('off');
  expect(off.watches).toEqual([{ agent: 'http://main', state: 'off', sinceMs: null }]);
});

test('a session that is renewed in time on a whole stream is never overdue, at any other events', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 1, max: ttlMs }),
    gap: fc.boolean(),
    election: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.nat({ max: ttlMs }), (steps, lateMs) => {
      const { renewals, phase } = watching();
      let nowMs = 1_000;
      renewals.saw('a', 's', nowMs);
      for (const { afterMs, gap, election } of steps) {
        nowMs += afterMs;
        if (gap) renewals.watched({ agent: 'a', state: 'observed', sinceMs: nowMs });
        if (election) renewals.restarted(nowMs);
        expect(phase(nowMs)).toBe('on-time');
        renewals.saw('a', 's', nowMs);
      }
      expect(phase(nowMs + lateMs)).toBe('on-time');
    }),
  );
});
