/** Ended sign-ins in both stores: over a restart, on another replica, and while the store is away. */
import { describe, expect, test } from 'vitest';
import { createEndedSignIns, type EndedSignInsOptions } from '@/lib/server/identity/ended-sign-ins';
import type { Store } from '@/lib/server/store/store';
import { storeKinds } from '@/test/support/stores';
import { until } from '@/test/support/until';

const hour = 60 * 60_000;

/** A process that keeps its ended sign-ins in this store. `said`: its log. */
function processOn(store: Pick<Store, 'db' | 'migrate'>, options: Partial<EndedSignInsOptions> = {}) {
  const said: { fields: object; message: string }[] = [];
  const log = { warn: (fields: object, message: string) => void said.push({ fields, message }) };
  const ended = createEndedSignIns({
    store,
    shared: false,
    now: Date.now,
    log: log as EndedSignInsOptions['log'],
    ...options,
  });
  return { ...ended, said };
}

for (const kind of await storeKinds())
  describe.skipIf(kind.missing !== null)(kind.name, () => {
    /** The store, and a switch that takes it away. */
    const switched = async () => {
      const store = kind.open(await kind.place());
      // The first look of a process would else still migrate when the test takes the store away, and write after that.
      await store.migrate();
      const state = { down: false };
      const migrate = () => (state.down ? Promise.reject(new Error('the store is away')) : store.migrate());
      const rows = () => store.db.selectFrom('signalbox_ended_sign_ins').selectAll().execute();
      return { store: { db: store.db, migrate }, state, rows };
    };

    test('a signed-out person stays signed out over a restart', async () => {
      const { store } = await switched();
      const before = processOn(store);
      await before.add('mine', Date.now() + hour);
      await before.close();
      const after = processOn(store);
      await after.ready();
      expect([after.has('mine'), after.has('another')]).toEqual([true, false]);
      expect([...before.said, ...after.said]).toEqual([]);
      await after.close();
    });

    test('another replica learns of it', async () => {
      const { store } = await switched();
      const [here, there] = [processOn(store, { shared: true }), processOn(store, { shared: true })];
      await there.ready();
      await here.add('mine', Date.now() + hour);
      await until(() => there.has('mine'), { what: 'the other replica knows it', timeoutMs: 20_000 });
      await Promise.all([here.close(), there.close()]);
    });

    test('the store has a digest and an end, and nothing longer than it is needed', async () => {
      const { store, rows } = await switched();
      const clock = { nowMs: Date.now() };
      const one = processOn(store, { now: () => clock.nowMs });
      await one.add('first', clock.nowMs + hour);
      const [row] = await rows();
      expect(Object.keys(row ?? {}).sort()).toEqual(['digest', 'ends_at_ms']);
      expect(row?.digest).toMatch(/^[0-9a-f]{64}$/);
      expect(Number(row?.ends_at_ms)).toBe(clock.nowMs + hour);
      clock.nowMs += 2 * hour;
      await one.add('second', clock.nowMs + hour);
      expect(await rows()).toHaveLength(1);
      await one.close();
    });

    test('there is a bound to what is kept: those that end last stay', async () => {
      const { store, rows } = await switched();
      const one = processOn(store, { endedMax: 2 });
      const nowMs = Date.now();
      for (const hours of [3, 1, 2]) await one.add(`ends in ${hours}`, nowMs + hours * hour);
      const ends = (await rows()).map((row) => (Number(row.ends_at_ms) - nowMs) / hour);
      expect(ends.sort()).toEqual([2, 3]);
      await one.close();
    });

    test('while the store is away a sign-out counts at once, is said in the log, and is written later', async () => {
      const { store, state, rows } = await switched();
      const one = processOn(store);
      await one.ready();
      state.down = true;
      await one.add('mine', Date.now() + hour);
      expect(one.has('mine')).toBe(true);
      expect(one.said).toMatchObject([
        { fields: { unwritten: 1, blind: false }, message: expect.stringMatching(/not kept for now/) },
      ]);
      state.down = false;
      await until(async () => (await rows()).length === 1, { what: 'the row is there', timeoutMs: 20_000 });
      await one.close();
    });

    test('a store that is away at the start delays no request, and the log says which cookies counted', async () => {
      const { store, state } = await switched();
      const before = processOn(store);
      await before.add('mine', Date.now() + hour);
      await before.close();
      state.down = true;
      const after = processOn(store);
      await after.ready();
      expect(after.has('mine')).toBe(false);
      expect(after.said).toMatchObject([{ fields: { blind: true } }]);
      state.down = false;
      await until(() => after.has('mine'), { what: 'it is known again', timeoutMs: 20_000 });
      expect(after.said[1]).toMatchObject({
        fields: { signIns: 1 },
        message: expect.stringMatching(/signed-out cookies counted/),
      });
      await after.close();
    });

    test('rows unwritten at the end of the process are logged', async () => {
      const { store, state } = await switched();
      const one = processOn(store);
      await one.ready();
      state.down = true;
      await one.add('mine', Date.now() + hour);
      await one.close();
      expect(one.said.at(-1)).toMatchObject({
        fields: { signIns: 1 },
        message: expect.stringMatching(/were not kept/),
      });
    });
  });
