import { describe, expect, test } from 'vitest';
import { newCoordination, semaphoreFlags } from './coordination';
import type { Look } from './look';
import { type Observed, observe } from './sightings';
import type { Row, SessionRow } from './wire';

const s1 = '0a0a0a0a-1111-2222-3333-444444444444';
const s2 = '0b0b0b0b-1111-2222-3333-444444444444';

const row = (key: string, session: string | null, modifyIndex = '10', more: Partial<Row> = {}): Row => ({
  key,
  session,
  modifyIndex,
  value: Buffer.alloc(0),
  flags: '0',
  createIndex: '5',
  lockIndex: '1',
  ...more,
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
  rowsIndexes: ['10'],
  sessions: [],
  sessionsIndex: '10',
  nowMs: 1_000,
  afterGap: false,
  ...more,
});
const held = (more: Partial<Look> = {}): Observed =>
  observe(null, look({ rows: [row('a', s1)], sessions: [session(s1)], afterGap: true, ...more }));
const until = (observed: Observed, key: string) => observed.delay(key)?.untilMs ?? null;

describe('since when', () => {
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

  describe('with a watch that began before', () => {
    const coordination = (holders: readonly string[], modifyIndex: string) =>
      row('s/.lock', null, modifyIndex, {
        flags: semaphoreFlags,
        value: Buffer.from(
          JSON.stringify({ Limit: 2, Holders: Object.fromEntries(holders.map((h) => [h, true])) }),
        ),
      });
    const sessions = [session(s1), session(s2)];
    const before = look({ sessions, afterGap: true });
    const rows = [row('a', s1, '20'), coordination([s1], '21'), row(`s/${s2}`, s2, '22')];
    /** It saw all of it come at 5 s. */
    const elder = () => observe(observe(null, before), look({ rows, sessions, nowMs: 5_000 })).memory;
    const young = (more: Partial<Look>) =>
      observe(null, look({ rows, sessions, nowMs: 90_000, afterGap: true, elder: elder(), ...more }));
    const seen = { atMs: 5_000, basis: 'observed' };
    const unseen = { atMs: 90_000, basis: 'at-least' };

    test('what was there at the first look is there since that one saw it come', () => {
      const first = young({});
      expect(first.heldSince('a', s1)).toEqual(seen);
      expect(first.heldSince('s', s1)).toEqual(seen);
      expect(first.waitingSince(`s/${s2}`)).toEqual(seen);
      expect(first.sessionSince(s1)).toEqual({ atMs: 1_000, basis: 'at-least' });
    });

    test('of a row that it has not read as it is now, nothing is known from it', () => {
      // Given back and taken again meanwhile, by the same session.
      const first = young({ rows: [row('a', s1, '30'), coordination([s1], '31'), row(`s/${s2}`, s2, '32')] });
      expect(first.heldSince('a', s1)).toEqual(unseen);
      expect(first.heldSince('s', s1)).toEqual(unseen);
      expect(first.waitingSince(`s/${s2}`)).toEqual(unseen);
    });

    test('what is somebody else’s there is not taken for it, and what is not in view is not told', () => {
      const first = young({ rows: [row('a', s2, '20'), coordination([s2], '21')], sessions: null });
      expect(first.heldSince('a', s2)).toEqual(unseen);
      expect(first.heldSince('s', s2)).toEqual(unseen);
      expect(first.heldSince('a', s1)).toBeNull();
      expect(first.sessionSince(s1)).toBeNull();
      expect(young({ rows: [] }).heldSince('a', s1)).toBeNull();
    });
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
      row('sem/.lock', null, index, { value: newCoordination('map', 2, holders) });
    const first = observe(null, look({ rows: [entry([s1], '10')], afterGap: true }));
    const second = observe(first, look({ rows: [entry([s1, s2], '11')], nowMs: 2_000 }));
    expect(second.heldSince('sem', s1)?.atMs).toBe(1_000);
    expect(second.heldSince('sem', s2)).toEqual({ atMs: 2_000, basis: 'observed' });
    const third = observe(second, look({ rows: [entry([s2], '12')], nowMs: 3_000 }));
    expect(third.heldSince('sem', s1)).toBeNull();
  });

  test('what is forgotten by Consul is forgotten here', () => {
    const after = observe(held(), look({ rows: [], sessions: [session(s1)] }));
    expect(after.wasLock('a')).toBe(false);
    expect(after.heldSince('a', s1)).toBeNull();
    expect(after.memory.locks.size).toBe(0);
  });

  test('ends of sessions are seen from the first look on, anew after a gap, and not without a session list', () => {
    const first = held();
    expect(first.endsSeenSinceMs).toBe(1_000);
    expect(observe(first, look({ nowMs: 2_000 })).endsSeenSinceMs).toBe(1_000);
    expect(observe(first, look({ nowMs: 2_000, afterGap: true })).endsSeenSinceMs).toBe(2_000);
    const blind = observe(first, look({ nowMs: 2_000, sessions: null }));
    expect(blind.endsSeenSinceMs).toBeNull();
    expect(observe(blind, look({ nowMs: 3_000 })).endsSeenSinceMs).toBe(3_000);
  });
});

describe('entries of recorded holders that are not there', () => {
  const entry = (holders: string[], index: string) =>
    row('sem/.lock', null, index, { value: newCoordination('map', 2, holders) });
  const missed = (observed: Observed) => [...observed.missed];

  test('they are known as soon as either the record or the entry has changed', () => {
    const contender = row(`sem/${s1}`, s1);
    const first = held({ rows: [entry([s1, s2], '10'), contender] });
    expect(missed(first)).toEqual([[`sem/${s2}`, 'sem']]);
    const released = observe(first, look({ rows: [entry([s1, s2], '10')] }));
    expect(
      missed(released)
        .map(([key]) => key)
        .sort(),
    ).toEqual([`sem/${s1}`, `sem/${s2}`]);
    const back = observe(released, look({ rows: [entry([s1, s2], '10'), contender, row(`sem/${s2}`, s2)] }));
    expect(missed(back)).toEqual([]);
    expect(missed(observe(back, look({ rows: [entry([s1, s2], '10')] })))).toHaveLength(2);
    expect(missed(observe(back, look({ rows: [entry([s2], '11')] })))).toEqual([[`sem/${s2}`, 'sem']]);
    expect(missed(observe(back, look({ rows: [] })))).toEqual([]);
  });
});

describe('lock-delay', () => {
  test('a key that was freed by the entry that ended its session is under its lock-delay', () => {
    const after = observe(held(), look({ rows: [row('a', null, '20')], sessionsIndex: '20', nowMs: 5_000 }));
    expect(after.delay('a')).toMatchObject({
      sessionId: s1,
      seenAtMs: 5_000,
      lengthMs: 15_000,
      untilMs: 20_000,
      basis: 'seen',
    });
    expect(after.wakeAtMs).toBe(20_000);
    const over = observe(after, look({ rows: [row('a', null, '20')], sessionsIndex: '20', nowMs: 20_000 }));
    expect(over.delay('a')).toBeNull();
    expect(over.wasLock('a')).toBe(true);
  });

  test('a release sets no delay, whether its session lives on or was ended at once after it', () => {
    const lives = observe(
      held(),
      look({ rows: [row('a', null, '20')], sessions: [session(s1)], sessionsIndex: '10', nowMs: 5_000 }),
    );
    expect(lives.delay('a')).toBeNull();
    const ended = observe(held(), look({ rows: [row('a', null, '20')], sessionsIndex: '21', nowMs: 5_000 }));
    expect(ended.delay('a')).toBeNull();
  });

  test('a release whose session ended a little later may have been none: the delay stays possible', () => {
    const after = observe(held(), look({ rows: [row('a', null, '20')], sessionsIndex: '24', nowMs: 5_000 }));
    expect(after.delay('a')).toMatchObject({ untilMs: 20_000, basis: 'possible' });
    expect(observe(after, look({ nowMs: 6_000 })).delayedWithoutEntry).toEqual([]);
  });

  test('of a session that was ended here the key is delayed, whatever its holder did with it since', () => {
    const ends = { has: (id: string) => id === s1 };
    const deleted = observe(held(), look({ sessionsIndex: '24', nowMs: 5_000, ends }));
    expect(deleted.delay('a')).toMatchObject({ untilMs: 20_000, basis: 'likely' });
    expect(deleted.delayedWithoutEntry.map(({ row }) => row.key)).toEqual(['a']);
    expect(observe(held(), look({ sessionsIndex: '24', nowMs: 5_000 })).delay('a')).toBeNull();
    const written = look({ rows: [row('a', null, '23')], sessionsIndex: '22', nowMs: 5_000, ends });
    expect(observe(held(), written).delay('a')).toMatchObject({ basis: 'likely' });
    const taken = look({ rows: [row('a', s2, '23')], sessions: [session(s2)], sessionsIndex: '22', ends });
    expect(observe(held(), taken).delay('a')).toBeNull();
  });

  test('when many sessions ended at once and the indexes cannot tell, the key counts as likely delayed', () => {
    const first = held({ rows: [row('a', s1), row('b', s2)], sessions: [session(s1), session(s2)] });
    const after = observe(
      first,
      look({ rows: [row('a', null, '20'), row('b', null, '21')], sessionsIndex: '21', nowMs: 5_000 }),
    );
    expect(after.delay('a')).toMatchObject({ untilMs: 20_000, basis: 'likely' });
    expect(after.delay('b')).toMatchObject({ untilMs: 20_000, basis: 'seen' });
  });

  test('no delay is derived across an outage, without a session list, or for a session that has none', () => {
    const freed = { rows: [row('a', null, '20')], sessionsIndex: '20', nowMs: 5_000 };
    expect(observe(held(), look({ ...freed, afterGap: true })).delay('a')).toBeNull();
    expect(observe(held(), look({ ...freed, sessions: null })).delay('a')).toBeNull();
    const none = held({ sessions: [session(s1, { lockDelayMs: 0 })] });
    expect(observe(none, look(freed)).delay('a')).toBeNull();
    const patroni = held({ sessions: [session(s1, { lockDelayMs: 1 })] });
    expect(observe(patroni, look(freed)).delay('a')).toBeNull();
  });

  test('a delay ends when the key is held again, and outlasts the deletion of the key', () => {
    const first = held({ sessions: [session(s1, { behavior: 'delete' })] });
    const gone = observe(first, look({ sessionsIndex: '20', rowsIndexes: ['20'], nowMs: 5_000 }));
    expect(gone.delay('a')).toMatchObject({ untilMs: 20_000, basis: 'seen' });
    expect(gone.delayedWithoutEntry.map(({ row }) => row.key)).toEqual(['a']);
    const again = observe(gone, look({ rows: [row('a', null, '30')], nowMs: 6_000 }));
    expect(until(again, 'a')).toBe(20_000);
    expect(again.delayedWithoutEntry).toEqual([]);
    const taken = observe(again, look({ rows: [row('a', s2, '31')], sessions: [session(s2)], nowMs: 7_000 }));
    expect(taken.delay('a')).toBeNull();
  });

  test('a key that its own client deleted during the delay stays refused, and is still shown', () => {
    const freed = observe(held(), look({ rows: [row('a', null, '20')], sessionsIndex: '20', nowMs: 5_000 }));
    const deleted = observe(freed, look({ rowsIndexes: ['25'], sessionsIndex: '20', nowMs: 6_000 }));
    expect(deleted.delayedWithoutEntry.map(({ row, delay }) => [row.key, delay.untilMs])).toEqual([
      ['a', 20_000],
    ]);
    expect(observe(deleted, look({ nowMs: 20_000 })).delayedWithoutEntry).toEqual([]);
  });

  test('a key that went with its session while other keys changed is only likely delayed', () => {
    const first = held({ sessions: [session(s1, { behavior: 'delete' })] });
    const gone = observe(first, look({ sessionsIndex: '20', rowsIndexes: ['22'], nowMs: 5_000 }));
    expect(gone.delay('a')?.basis).toBe('likely');
  });

  test('contender entries are under no delay that anyone could meet', () => {
    const rows = [row(`sem/${s1}`, s1), row('odd/name', s1, '10', { flags: semaphoreFlags })];
    const first = held({ rows, sessions: [session(s1, { behavior: 'delete' })] });
    const gone = observe(first, look({ sessionsIndex: '20', rowsIndexes: ['20'], nowMs: 5_000 }));
    expect(gone.delayedWithoutEntry).toEqual([]);
    expect(gone.wakeAtMs).toBeNull();
  });
});

describe('turnover', () => {
  const minute = 60_000;
  const at = (before: Observed, nowMs: number, rows: Row[], more: Partial<Look> = {}) =>
    observe(before, look({ rows, nowMs, ...more }));

  test('it counts the sessions that came to hold, also those between two looks, and only after a whole minute', () => {
    const first = held({ nowMs: 0 });
    const second = at(first, 50_000, [row('a', s2, '11', { lockIndex: '2' })]);
    expect(second.turnover('a')).toBeNull();
    const third = at(second, 55_000, [row('a', null, '14', { lockIndex: '4' })]);
    expect(third.wakeAtMs).toBe(minute);
    const later = at(third, minute, [row('a', null, '14', { lockIndex: '4' })]);
    expect(later.turnover('a')).toEqual({ changes: 3, windowMs: minute });
  });

  test('a count falls as its minute passes, and the wake for it is the only one', () => {
    const free = row('a', null, '11');
    const second = at(held({ nowMs: 0 }), 62_000, [row('a', s2, '11', { lockIndex: '2' })]);
    expect(second.turnover('a')?.changes).toBe(1);
    expect(second.wakeAtMs).toBe(125_000);
    const third = at(second, 125_000, [row('a', s2, '11', { lockIndex: '2' })]);
    expect(third.turnover('a')?.changes).toBe(0);
    expect(third.wakeAtMs).toBeNull();
    expect(at(third, 126_000, [free]).turnover('a')?.changes).toBe(0);
    expect(at(third, 126_000, []).turnover('a')).toBeNull();
  });

  test('a semaphore counts the holders that its entry came to name', () => {
    const entry = (holders: string[], index: string) =>
      row('sem/.lock', null, index, { value: newCoordination('list', 2, holders) });
    const first = held({ nowMs: 0, rows: [entry([s1], '10')] });
    const second = at(first, 61_000, [entry([s2], '11')]);
    const third = at(second, 62_000, [entry([s1, s2], '12')]);
    expect(third.turnover('sem')).toEqual({ changes: 2, windowMs: minute });
  });

  test('a subject whose holder never changed has none, and a gap starts anew', () => {
    const first = held({ nowMs: 0 });
    const second = at(first, 61_000, [row('a', s1)]);
    expect(second.turnover('a')).toBeNull();
    const third = at(second, 62_000, [row('a', s2, '12', { lockIndex: '2' })]);
    expect(third.turnover('a')?.changes).toBe(1);
    const gap = at(third, 70_000, [row('a', s1, '15', { lockIndex: '9' })], { afterGap: true });
    expect(gap.turnover('a')).toBeNull();
    expect(at(gap, 131_000, [row('a', s1, '15', { lockIndex: '9' })]).turnover('a')).toBeNull();
  });

  test('waiters that come and go are no change of hands', () => {
    const second = at(held({ nowMs: 0 }), 61_000, [row('a', s1), row(`sem/${s2}`, s2)]);
    expect(second.turnover(`sem/${s2}`)).toBeNull();
    expect(second.wakeAtMs).toBeNull();
  });

  test('a restored count of acquisitions is no turnover', () => {
    const second = at(held({ nowMs: 0 }), 61_000, [row('a', s1, '9999', { lockIndex: '5000000' })]);
    expect(second.turnover('a')).toBeNull();
  });
});

describe('limit changes', () => {
  const entry = (limit: number, index: string, holders: string[] = [], more: Partial<Row> = {}) =>
    row('sem/.lock', null, index, {
      value: newCoordination('map', limit, holders),
      flags: semaphoreFlags,
      ...more,
    });
  const waiter = (createIndex = '5') => row(`sem/${s1}`, s1, '10', { createIndex });
  const key = `sem/${s1}`;
  const change = () =>
    observe(
      held({ rows: [entry(2, '10'), waiter()] }),
      look({ rows: [entry(3, '11'), waiter()], nowMs: 2_000 }),
    );

  test('a waiter that waited while the limit changed keeps that until it is gone', () => {
    const changed = change();
    expect(changed.limitChange(key)).toEqual({ from: 2, to: 3, atMs: 2_000 });
    const back = observe(changed, look({ rows: [entry(2, '12'), waiter()], nowMs: 3_000 }));
    expect(back.limitChange(key)).toEqual({ from: 2, to: 3, atMs: 2_000 });
    expect(observe(back, look({ rows: [entry(2, '12')], nowMs: 4_000 })).limitChange(key)).toBeNull();
  });

  test('it is forgotten when the waiter holds a slot, or waits anew', () => {
    const holds = observe(change(), look({ rows: [entry(3, '12', [s1]), waiter()], nowMs: 3_000 }));
    expect(holds.limitChange(key)).toBeNull();
    const anew = observe(change(), look({ rows: [entry(3, '11'), waiter('15')], nowMs: 3_000 }));
    expect(anew.limitChange(key)).toBeNull();
  });

  test('who came after the change, and clients that use the stored limit, are not marked', () => {
    const late = observe(
      held({ rows: [entry(2, '10')] }),
      look({ rows: [entry(3, '11'), waiter()], nowMs: 2_000 }),
    );
    expect(late.limitChange(key)).toBeNull();
    const list = (limit: number) => ({ value: newCoordination('list', limit, []), flags: '0' });
    for (const of of [list, () => ({ flags: '0' })]) {
      const before = held({ rows: [entry(2, '10', [], of(2)), waiter()] });
      const grown = observe(before, look({ rows: [entry(3, '11', [], of(3)), waiter()], nowMs: 2_000 }));
      expect(grown.limitChange(key)).toBeNull();
    }
  });
});
