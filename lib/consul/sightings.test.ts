import { expect, test } from 'vitest';
import { type Look, type Observed, observe } from './sightings';
import type { Row, SessionRow } from './wire';

const s1 = '0a0a0a0a-1111-2222-3333-444444444444';
const s2 = '0b0b0b0b-1111-2222-3333-444444444444';

const row = (key: string, session: string | null, modifyIndex = '10', value = ''): Row => ({
  key,
  session,
  modifyIndex,
  value: Buffer.from(value),
  flags: '0',
  createIndex: '5',
  lockIndex: '1',
});
const session = (id: string, more: Partial<SessionRow> = {}): SessionRow => ({
  id,
  name: '',
  node: 'n',
  ttlMs: null,
  behavior: 'release',
  lockDelayMs: 15_000,
  checkIds: [],
  createIndex: '4',
  ...more,
});
const look = (more: Partial<Look>): Look => ({
  rows: [],
  sessions: [],
  sessionsIndex: '10',
  nowMs: 1_000,
  afterGap: false,
  ...more,
});
const held = (more: Partial<Look> = {}): Observed =>
  observe(null, look({ rows: [row('a', s1)], sessions: [session(s1)], afterGap: true, ...more }));

test('what was there at the first look is there for at least so long; what comes later was seen to come', () => {
  const first = held();
  expect(first.heldSince('a', s1)).toEqual({ atMs: 1_000, basis: 'at-least' });
  const second = observe(
    first,
    look({ rows: [row('a', s1), row('b', s2)], sessions: [session(s1), session(s2)], nowMs: 2_000 }),
  );
  expect(second.heldSince('a', s1)).toEqual({ atMs: 1_000, basis: 'at-least' });
  expect(second.heldSince('b', s2)).toEqual({ atMs: 2_000, basis: 'observed' });
  expect(second.sessionSince(s2)).toEqual({ atMs: 2_000, basis: 'observed' });
});

test('what appears during an outage was not seen to appear', () => {
  const after = observe(
    held(),
    look({ rows: [row('b', s2)], sessions: [session(s2)], nowMs: 9_000, afterGap: true }),
  );
  expect(after.heldSince('b', s2)).toEqual({ atMs: 9_000, basis: 'at-least' });
});

test('a slot is held since the coordination entry first named the session', () => {
  const entry = (holders: string[], index: string) =>
    row(
      'sem/.lock',
      null,
      index,
      JSON.stringify({ Limit: 2, Holders: Object.fromEntries(holders.map((h) => [h, true])) }),
    );
  const first = observe(null, look({ rows: [entry([s1], '10')], afterGap: true }));
  const second = observe(first, look({ rows: [entry([s1, s2], '11')], nowMs: 2_000 }));
  expect(second.heldSince('sem', s1)?.atMs).toBe(1_000);
  expect(second.heldSince('sem', s2)).toEqual({ atMs: 2_000, basis: 'observed' });
  const third = observe(second, look({ rows: [entry([s2], '12')], nowMs: 3_000 }));
  expect(third.heldSince('sem', s1)).toBeNull();
});

test('a key that was freed by the entry that ended its session is under its lock-delay', () => {
  const after = observe(held(), look({ rows: [row('a', null, '20')], sessionsIndex: '20', nowMs: 5_000 }));
  expect(after.delayedUntilMs('a')).toBe(20_000);
  expect(after.nextDelayEndMs).toBe(20_000);
  const over = observe(after, look({ rows: [row('a', null, '20')], sessionsIndex: '20', nowMs: 20_000 }));
  expect(over.delayedUntilMs('a')).toBeNull();
  expect(over.wasLock('a')).toBe(true);
});

test('a release sets no delay, whether its session lives on or was ended at once after it', () => {
  const lives = observe(
    held(),
    look({ rows: [row('a', null, '20')], sessions: [session(s1)], sessionsIndex: '10', nowMs: 5_000 }),
  );
  expect(lives.delayedUntilMs('a')).toBeNull();
  const ended = observe(held(), look({ rows: [row('a', null, '20')], sessionsIndex: '21', nowMs: 5_000 }));
  expect(ended.delayedUntilMs('a')).toBeNull();
});

test('when many sessions ended at once and the indexes cannot tell, the key counts as delayed', () => {
  const first = held({ rows: [row('a', s1), row('b', s2)], sessions: [session(s1), session(s2)] });
  const after = observe(
    first,
    look({ rows: [row('a', null, '20'), row('b', null, '21')], sessionsIndex: '21', nowMs: 5_000 }),
  );
  expect(after.delayedUntilMs('a')).toBe(20_000);
  expect(after.delayedUntilMs('b')).toBe(20_000);
});

test('no delay is derived across an outage, without a session list, or for a session that has none', () => {
  const freed = { rows: [row('a', null, '20')], sessionsIndex: '20', nowMs: 5_000 };
  expect(observe(held(), look({ ...freed, afterGap: true })).delayedUntilMs('a')).toBeNull();
  expect(observe(held(), look({ ...freed, sessions: null })).delayedUntilMs('a')).toBeNull();
  const none = held({ sessions: [session(s1, { lockDelayMs: 0 })] });
  expect(observe(none, look(freed)).delayedUntilMs('a')).toBeNull();
});

test('a delay ends when the key is held again, and outlasts the deletion of the key', () => {
  const first = held({ sessions: [session(s1, { behavior: 'delete' })] });
  const gone = observe(first, look({ sessionsIndex: '20', nowMs: 5_000 }));
  expect(gone.delayedUntilMs('a')).toBe(20_000);
  const again = observe(gone, look({ rows: [row('a', null, '30')], nowMs: 6_000 }));
  expect(again.delayedUntilMs('a')).toBe(20_000);
  const taken = observe(again, look({ rows: [row('a', s2, '31')], sessions: [session(s2)], nowMs: 7_000 }));
  expect(taken.delayedUntilMs('a')).toBeNull();
});

test('what is forgotten by Consul is forgotten here', () => {
  const after = observe(held(), look({ rows: [], sessions: [session(s1)] }));
  expect(after.wasLock('a')).toBe(false);
  expect(after.held.size).toBe(0);
});
