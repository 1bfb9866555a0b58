/** A migration that takes longer than any query may, on a store that replicas share. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Migration, migrations } from '@/lib/server/store/migrations';
import { openStore } from '@/lib/server/store/store';
import { storeKinds } from '@/test/support/stores';
import { until } from '@/test/support/until';

const shared = (await storeKinds()).find(({ name }) => name === 'postgres');
const [callerMs, queryMs, slowMs] = [300, 400, 5_000];

test.skipIf(shared?.missing !== null)(
  'it ends, once for all replicas, and each of their calls is refused meanwhile within its usual time',
  async () => {
    const where = await shared?.place();
    if (shared === undefined || where === undefined) throw new Error('There is no such store.');
    await shared.open(where).migrate();
    let runs = 0;
    const slow: Migration = {
      name: '9999-slow',
      up: async (db) => {
        runs += 1;
        await sql.raw(`select pg_sleep(${slowMs / 1_000})`).execute(db);
      },
    };
    const lines: unknown[] = [];
    const log = { info: (fields: unknown, what: unknown) => void lines.push([fields, what]) } as never;
    const errors: Error[] = [];
    const stores = [1, 2].map(() =>
      openStore(where, (error) => errors.push(error), {
        ...{ log, callerMs, queryMs },
        steps: [...migrations, slow],
      }),
    );
    try {
      const beganMs = performance.now();
      const first = await Promise.allSettled(stores.map((store) => store.migrate()));
      const refusedMs = performance.now() - beganMs;
      expect(first).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
      expect(refusedMs).toBeLessThan(slowMs);
      await until(
        async () =>
          (await Promise.allSettled(stores.map((store) => store.migrate()))).every(
            ({ status }) => status === 'fulfilled',
          ),
        { what: 'both to be open' },
      );
      expect(runs).toBe(1);
      expect(lines).toEqual([
        [{ migration: slow.name }, 'a migration of the store begins'],
        [{ migration: slow.name, seconds: expect.any(Number) }, 'a migration of the store has run'],
      ]);
      const [, [{ seconds }]] = lines as [unknown, [{ seconds: number }]];
      expect(seconds).toBeGreaterThanOrEqual(slowMs / 1_000);
      expect(errors).toEqual([]);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  },
);
