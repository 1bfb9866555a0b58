import { expect, test } from 'vitest';
import { held, look, row, s1, s2, session } from '@/lib/providers/consul/fixture/look';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type Observed, observe } from './sightings';

const until = (observed: Observed, key: string) => observed.delay(key)?.untilMs ?? null;

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

test('the key of a session that Signalbox ended is delayed, after any later change by its holder', () => {
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

test('when many sessions ended at once and the indexes are ambiguous, the key counts as likely delayed', () => {
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

test('a key that is named after its session is under its delay while it stands, and not beyond', () => {
  const key = `members/${s1}`;
  const freed = observe(
    held({ rows: [row(key, s1)] }),
    look({ rows: [row(key, null, '20')], sessionsIndex: '20', nowMs: 5_000 }),
  );
  expect(freed.delay(key)).toMatchObject({ untilMs: 20_000, basis: 'seen' });
  const gone = observe(freed, look({ sessionsIndex: '20', nowMs: 6_000 }));
  expect(gone.delay(key)).toBeNull();
  expect(gone.delayedWithoutEntry).toEqual([]);
});
