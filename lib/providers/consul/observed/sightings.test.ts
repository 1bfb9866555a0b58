import { describe, expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { held, look, row, s1, s2, session } from '@/lib/providers/consul/fixture/look';
import { newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Look } from './look';
import { type Observed, observe } from './sightings';

describe('since when', () => {
  test('an entry of the first look has at least its age; a later one was seen to come', () => {
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

  test('a session that let go and took it again between two looks holds it since then', () => {
    const again = (rows: readonly KvRow[]) =>
      observe(held(), look({ rows: [...rows], sessions: [session(s1)], nowMs: 2_000 })).heldSince('a', s1);
    const now = { atMs: 2_000, basis: 'observed' };
    expect(again([row('a', s1, '20', { lockIndex: '2' })])).toEqual(now);
    expect(again([row('a', s1, '20', { createIndex: '19' })])).toEqual(now);
    // It wrote a value under its lock.
    expect(again([row('a', s1, '20')])).toEqual({ atMs: 1_000, basis: 'at-least' });
    expect(again([row('a', s1, '20', { lockIndex: '0' })])).toEqual({ atMs: 1_000, basis: 'at-least' });
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
    /** It saw all of it appear at 5 s. */
    const elder = () => observe(observe(null, before), look({ rows, sessions, nowMs: 5_000 })).memory;
    const young = (more: Partial<Look>) =>
      observe(null, look({ rows, sessions, nowMs: 90_000, afterGap: true, elder: elder(), ...more }));
    const seen = { atMs: 5_000, basis: 'observed' };
    const unseen = { atMs: 90_000, basis: 'at-least' };

    test('an entry of the first look takes its age from an elder watch that saw it come', () => {
      const first = young({});
      expect(first.heldSince('a', s1)).toEqual(seen);
      expect(first.heldSince('s', s1)).toEqual(seen);
      expect(first.waitingSince(`s/${s2}`)).toEqual(seen);
      expect(first.sessionSince(s1)).toEqual({ atMs: 1_000, basis: 'at-least' });
    });

    test('of a row that it has not read as it is now, nothing is known from it', () => {
      // Released and taken again meanwhile, by the same session.
      const first = young({ rows: [row('a', s1, '30'), coordination([s1], '31'), row(`s/${s2}`, s2, '32')] });
      expect(first.heldSince('a', s1)).toEqual(unseen);
      expect(first.heldSince('s', s1)).toEqual(unseen);
      expect(first.waitingSince(`s/${s2}`)).toEqual(unseen);
    });

    test("another session's age is not taken, and entries outside the view have none", () => {
      const first = young({ rows: [row('a', s2, '20'), coordination([s2], '21')], sessions: null });
      expect(first.heldSince('a', s2)).toEqual(unseen);
      expect(first.heldSince('s', s2)).toEqual(unseen);
      expect(first.heldSince('a', s1)).toBeNull();
      expect(first.sessionSince(s1)).toBeNull();
      expect(young({ rows: [] }).heldSince('a', s1)).toBeNull();
    });
  });

  test('an entry that appears during an outage was not seen to appear', () => {
    const after = observe(
      held(),
      look({ rows: [row('b', s2)], sessions: [session(s2)], nowMs: 9_000, afterGap: true }),
    );
    expect(after.heldSince('b', s2)).toEqual({ atMs: 9_000, basis: 'at-least' });
  });

  test('a session that comes into view with the whole list was not seen to begin', () => {
    const rows = [row('a', s1)];
    const blind = observe(held(), look({ rows, sessions: null, nowMs: 2_000 }));
    const back = look({ rows, sessions: [session(s1)], nowMs: 3_000 });
    expect(observe(blind, back).sessionSince(s1)).toEqual({ atMs: 3_000, basis: 'at-least' });
    const next = observe(observe(held(), look({ rows, sessions: null })), back);
    const more = look({ rows, sessions: [session(s1), session(s2)], nowMs: 4_000 });
    expect(observe(next, more).sessionSince(s2)).toEqual({ atMs: 4_000, basis: 'observed' });
  });

  test('a session that comes into view with the whole list takes its age from a watch that saw it begin', () => {
    const empty = look({ afterGap: true });
    const elder = observe(observe(null, empty), look({ sessions: [session(s1)], nowMs: 2_000 })).memory;
    const blind = observe(null, look({ sessions: null, afterGap: true }));
    const seeing = observe(blind, look({ sessions: [session(s1)], nowMs: 3_000, elder }));
    expect(seeing.sessionSince(s1)).toEqual({ atMs: 2_000, basis: 'observed' });
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

  test('an entry that Consul forgot is forgotten here', () => {
    const after = observe(held(), look({ rows: [], sessions: [session(s1)] }));
    expect(after.wasLock('a')).toBe(false);
    expect(after.heldSince('a', s1)).toBeNull();
    expect(after.memory.locks.size).toBe(0);
  });

  test('ends of sessions are seen from the first look on, again after a gap, and not without a session list', () => {
    const first = held();
    expect(first.endsSeenSinceMs).toBe(1_000);
    expect(observe(first, look({ nowMs: 2_000 })).endsSeenSinceMs).toBe(1_000);
    expect(observe(first, look({ nowMs: 2_000, afterGap: true })).endsSeenSinceMs).toBe(2_000);
    const blind = observe(first, look({ nowMs: 2_000, sessions: null }));
    expect(blind.endsSeenSinceMs).toBeNull();
    expect(observe(blind, look({ nowMs: 3_000 })).endsSeenSinceMs).toBe(3_000);
  });
});

describe('semaphores whose coordination entry has gone', () => {
  const entry = row('s/.lock', null, '10', { value: newCoordination('list', 1, [s1]) });
  const contenders = [row(`s/${s1}`, s1), row(`s/${s2}`, s2)];
  const gone = () =>
    observe(held({ rows: [entry, ...contenders] }), look({ rows: contenders, nowMs: 2_000 }));

  test('one is remembered while any who contended then is there, through a gap too', () => {
    expect(held({ rows: [entry, ...contenders] }).wasSemaphore('s')).toBe(false);
    expect(gone().wasSemaphore('s')).toBe(true);
    expect(observe(gone(), look({ rows: [entry, ...contenders] })).wasSemaphore('s')).toBe(false);
    const one = observe(gone(), look({ rows: contenders.slice(0, 1), afterGap: true }));
    expect(one.wasSemaphore('s')).toBe(true);
    const free = row(`s/${s1}`, null, '11');
    expect(observe(one, look({ rows: [free] })).wasSemaphore('s')).toBe(false);
    expect(one.memory.orphans.size).toBe(0);
  });

  test('one that took its contenders with it is none', () => {
    expect(observe(held({ rows: [entry, ...contenders] }), look({})).wasSemaphore('s')).toBe(false);
    const odd = row('s/!', s1, '10', { flags: semaphoreFlags });
    expect(observe(held({ rows: [odd, entry] }), look({})).memory.orphans.size).toBe(0);
    // A session that came in its place at the same look contended for nothing.
    const other = observe(
      held({ rows: [entry, ...contenders.slice(0, 1)] }),
      look({ rows: contenders.slice(1) }),
    );
    expect(other.wasSemaphore('s')).toBe(false);
  });

  test('a later watch learns from the earlier one about contenders that it sees itself', () => {
    const elder = gone().memory;
    const young = (rows: readonly KvRow[]) => observe(null, look({ rows, afterGap: true, elder }));
    expect(young(contenders.slice(1)).wasSemaphore('s')).toBe(true);
    expect(young(contenders.slice(1)).touched.has('s')).toBe(true);
    expect(young([]).wasSemaphore('s')).toBe(false);
    // It has read changes that the other has not read yet.
    expect(young([entry, ...contenders]).wasSemaphore('s')).toBe(false);
    expect(young([row(`s/${s1}`, null)]).wasSemaphore('s')).toBe(false);
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
