/** A store that is gone or full: the live view and the actions go on, and the history says since when it keeps nothing. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HistoryBook, openHistory } from '@/lib/server/history/history';
import { openStore } from '@/lib/server/store/store';
import { heldLock } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { asked, openDesk } from '@/test/support/desk';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const store = openStore({ folder: freshFolder() });
// The audit has one of its own: what it does with its store is told in `test/store`.
const auditStore = openStore({ folder: freshFolder() });
const desk = openDesk({ consul: consul.address, store: auditStore });
const lines: string[] = [];
const log = {
  warn: (_: unknown, message?: string) => void lines.push(message ?? ''),
  info: (message: unknown) => void lines.push(String(message)),
};
let history: HistoryBook;
beforeAll(async () => {
  await until(() => desk.hub.snapshot().source.state === 'live', { what: 'the view to be live' });
  history = openHistory({
    on: true,
    days: 30,
    bytes: 1e9,
    store,
    writer: 'one',
    hub: desk.hub,
    audit: desk.audit,
    now: Date.now,
    log,
  });
  await until(() => history.state()?.state === 'recording', { what: 'the recorder to begin' });
});
afterAll(async () => {
  await history.close();
  await desk.close();
  await store.close();
  await auditStore.close();
});

const pages = async (max: string) => sql.raw(`pragma max_page_count = ${max}`).execute(store.db);
const episodes = async (key: string) =>
  (
    await history.read(
      { by: 'subject', subject: `lock:${key}` },
      { fromMs: Date.now() - 600_000, toMs: Date.now(), limit: 100 },
    )
  ).episodes;

test('while its disk is full the view and the actions go on; then what was seen meanwhile is kept as well', async () => {
  await pages('1');
  const value = 'x'.repeat(100);
  const held = await Promise.all(Array.from({ length: 60 }, () => heldLock(client, { value })));
  const beganMs = Date.now();
  await until(() => history.state()?.state === 'away', { what: 'the store to be full', timeoutMs: 20_000 });
  const since = history.state()?.awaySinceMs ?? 0;
  expect(Math.abs(since - beganMs)).toBeLessThan(40_000);
  const { key, id } = held.at(-1) ?? { key: '', id: '' };
  await until(() => desk.hub.snapshot().locks.some((lock) => lock.key === key && lock.holder !== null), {
    what: 'the view to go on',
  });
  const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' } as const;
  const planned = await (await desk.post(asked({ mode: 'plan', action }))).json();
  const answer = await desk.post(
    asked({ mode: 'apply', action, reason: 'it hangs', expect: planned.expect }),
  );
  expect(answer.status).toBe(200);
  await until(() => desk.hub.snapshot().locks.every((lock) => lock.key !== key || lock.holder === null), {
    what: 'the view to show it',
  });
  expect(history.state()).toEqual({ state: 'away', awaySinceMs: since });
  await pages('1000000');
  await until(() => history.state()?.state === 'recording', { what: 'it to write again', timeoutMs: 20_000 });
  expect(history.state()?.awaySinceMs).toBeNull();
  const [hold] = await until(
    async () => {
      const found = await episodes(key);
      return found[0]?.deed != null && found;
    },
    { what: 'the hold of that time' },
  );
  expect(hold).toMatchObject({ who: { id }, end: 'evicted-here', deed: { reason: 'it hangs' } });
  expect(lines).toEqual(['the history cannot be written', 'the history is written again']);
}, 180_000);
