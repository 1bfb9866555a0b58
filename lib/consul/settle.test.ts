import { expect, test } from 'vitest';
import { settle } from './settle';
import type { Row, SessionRow } from './wire';

const row = (key: string, session: string | null): Row => ({
  key,
  session,
  value: Buffer.alloc(0),
  flags: '0',
  createIndex: '1',
  modifyIndex: '1',
  lockIndex: '1',
});
const session = (id: string): SessionRow => ({
  id,
  name: '',
  node: 'n',
  ttlMs: null,
  behavior: 'release',
  lockDelayMs: 0,
  checkIds: [],
  createIndex: '1',
});
const list = (ids: readonly string[] | null) => ({ value: ids?.map(session) ?? null, index: '5' });
const { signal } = new AbortController();

/** Consul as it is now, while the readings may be older; counts what it is asked. */
function consul(sessions: readonly string[], rows: readonly Row[]) {
  const asked: string[] = [];
  return {
    asked,
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
  const readings = { rows: [row('a', 's')], sessions: list(['s']), sessionsAreNewer: true };
  expect(await settle(readings, now, new Set(), signal)).toMatchObject({ fits: true });
  expect(now.asked).toEqual([]);
});

test('a list that is older than the rows is read again, also when nothing is missing from it', async () => {
  const now = consul(['s'], [row('a', 's')]);
  const readings = { rows: [row('a', null)], sessions: list(['old', 's']), sessionsAreNewer: false };
  const { fits, sessions } = await settle(readings, now, new Set(), signal);
  expect(fits).toBe(true);
  expect(sessions).toEqual({ value: [session('s')], index: '9' });
  expect(now.asked).toEqual(['sessions']);
});

test('a session that ended after the rows were read makes the rows the older ones', async () => {
  const hidden = new Set<string>();
  const now = consul([], [row('a', null)]);
  const readings = { rows: [row('a', 's')], sessions: list([]), sessionsAreNewer: true };
  expect(await settle(readings, now, hidden, signal)).toMatchObject({ fits: false });
  expect(hidden.size).toBe(0);
});

test('a key that a missing session still locks proves that the session is hidden, once for all', async () => {
  const hidden = new Set<string>();
  const rows = Array.from({ length: 100 }, (_, n) => row(`k${n}`, `s${n}`));
  const now = consul([], rows);
  const readings = { rows, sessions: list([]), sessionsAreNewer: true };
  expect(await settle(readings, now, hidden, signal)).toMatchObject({ fits: true });
  expect(hidden.size).toBe(100);
  expect(await settle(readings, now, hidden, signal)).toMatchObject({ fits: true });
  expect(now.asked).toHaveLength(100);
});

test('a hidden session that no key names any more is forgotten', async () => {
  const hidden = new Set(['s']);
  await settle(
    { rows: [row('a', null)], sessions: list([]), sessionsAreNewer: true },
    consul([], []),
    hidden,
    signal,
  );
  expect(hidden.size).toBe(0);
});

test('without a session list there is nothing to compare', async () => {
  const now = consul([], []);
  const readings = { rows: [row('a', 's')], sessions: list(null), sessionsAreNewer: false };
  expect(await settle(readings, now, new Set(), signal)).toMatchObject({ fits: true });
  expect(now.asked).toEqual([]);
});
