import { expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { rowOf, sessionRowOf } from '@/lib/providers/consul/fixture/rows';
import { changedRows } from '@/lib/providers/consul/rows/changed-rows';
import { createLockers } from '@/lib/providers/consul/rows/keys-by-session';
import { settle } from './reconcile-sessions';

const row = (key: string, session: string | null): KvRow => rowOf(key, { session, lockIndex: '1' });
const session = (id: string) => sessionRowOf(id);
const list = (ids: readonly string[] | null) => ({
  value: ids?.map(session) ?? null,
  index: '5',
});
const { signal } = new AbortController();

const lockersOf = (rows: readonly KvRow[]) => {
  const lockers = createLockers();
  for (const changed of changedRows([], rows)) lockers.change(changed);
  return lockers;
};
const read = (rows: readonly KvRow[], ids: readonly string[] | null, sessionsAreNewer = true) => ({
  lockers: lockersOf(rows),
  sessions: list(ids),
  sessionsAreNewer,
  letGo: null as ReadonlySet<string> | null,
});

/** Consul's present state, while the readings may be older; counts requests. */
function consul(sessions: readonly string[], rows: readonly KvRow[]) {
  const asked: string[] = [];
  return {
    asked,
    alive: async (id: string) => {
      asked.push(`session ${id}`);
      return sessions.includes(id);
    },
    sessions: async () => {
      asked.push('sessions');
      return { value: sessions.map(session), index: '9' };
    },
    row: async (key: string) => {
      asked.push(key);
      return rows.find((one) => one.key === key) ?? null;
    },
  };
}

test('a list that is newer than the rows and names every session is taken as it is', async () => {
  const now = consul([], []);
  const readings = read([row('a', 's')], ['s']);
  expect(await settle(readings, now, new Set(), signal)).toMatchObject({ fits: true });
  expect(now.asked).toEqual([]);
});

test('a list that is older than the rows is read again, also when nothing is missing from it', async () => {
  const now = consul(['s'], [row('a', 's')]);
  const readings = read([row('a', null)], ['old', 's'], false);
  const { fits, sessions } = await settle(readings, now, new Set(), signal);
  expect(fits).toBe(true);
  expect(sessions).toEqual({ value: [session('s')], index: '9' });
  expect(now.asked).toEqual(['sessions']);
});

test('where rows have only come to be locked the list is not read again, unless it lacks one of their sessions', async () => {
  const now = consul(['s', 't'], [row('a', 's'), row('b', 't')]);
  const gained = { ...read([row('a', 's')], ['s'], false), letGo: new Set<string>() };
  expect((await settle(gained, now, new Set(), signal)).sessions).toBe(gained.sessions);
  expect(now.asked).toEqual([]);
  const lacking = { ...read([row('a', 's'), row('b', 't')], ['s'], false), letGo: new Set<string>() };
  const { fits, sessions } = await settle(lacking, now, new Set(), signal);
  expect([fits, sessions.value?.length, now.asked]).toEqual([true, 2, ['sessions']]);
});

test('a session that has let go and is there is asked for alone; one that has ended, or is unknown, takes the whole list', async () => {
  const now = consul(['s', 't'], [row('a', 's')]);
  const released = { ...read([row('a', 's')], ['s', 't', 'gone'], false), letGo: new Set(['t']) };
  expect((await settle(released, now, new Set(), signal)).sessions).toBe(released.sessions);
  expect(now.asked.splice(0)).toEqual(['session t']);
  for (const id of ['gone', 'unheard-of']) {
    const ended = { ...released, letGo: new Set(['t', id]) };
    expect((await settle(ended, now, new Set(), signal)).sessions.value).toHaveLength(2);
    expect(now.asked.splice(0)).toEqual(
      id === 'gone' ? ['session t', 'session gone', 'sessions'] : ['sessions'],
    );
  }
});

test('when many have let go at a time, or the list is newer than the rows, no session is asked for alone', async () => {
  const ids = Array.from({ length: 40 }, (_, n) => `s${n}`);
  const now = consul(ids, []);
  const many = { ...read([], ids, false), letGo: new Set(ids) };
  expect((await settle(many, now, new Set(), signal)).fits).toBe(true);
  expect(now.asked.splice(0)).toEqual(['sessions']);
  const newer = { ...read([], ids), letGo: new Set(['s1']) };
  expect((await settle(newer, now, new Set(), signal)).sessions).toBe(newer.sessions);
  expect(now.asked).toEqual([]);
});

test('a session that ended after the rows were read makes the rows the older ones', async () => {
  const hidden = new Set<string>();
  const now = consul([], [row('a', null)]);
  const readings = read([row('a', 's')], []);
  expect(await settle(readings, now, hidden, signal)).toMatchObject({ fits: false });
  expect(hidden.size).toBe(0);
});

test('a key that a missing session still locks proves that the session is hidden, once for all', async () => {
  const hidden = new Set<string>();
  const rows = Array.from({ length: 100 }, (_, n) => row(`k${n}`, `s${n}`));
  const now = consul([], rows);
  const readings = read(rows, []);
  expect(await settle(readings, now, hidden, signal)).toMatchObject({ fits: true });
  expect(hidden.size).toBe(100);
  expect(await settle(readings, now, hidden, signal)).toMatchObject({ fits: true });
  expect(now.asked).toHaveLength(100);
});

test('a hidden session that no key names any more is forgotten', async () => {
  const hidden = new Set(['s']);
  await settle(read([row('a', null)], []), consul([], []), hidden, signal);
  expect(hidden.size).toBe(0);
});

test('without a session list there is nothing to compare', async () => {
  const now = consul([], []);
  const readings = read([row('a', 's')], null, false);
  expect(await settle(readings, now, new Set(), signal)).toMatchObject({ fits: true });
  expect(now.asked).toEqual([]);
});
