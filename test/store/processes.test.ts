/** Several processes on one store: they race its migrations, and are killed while they write. */
import { describe, expect, test } from 'vitest';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { migrations } from '@/lib/server/store/migrations';
import { programs } from '@/test/support/programs';
import { storeKinds } from '@/test/support/stores';
import { until } from '@/test/support/until';

const run = await programs({
  migrate: 'test/store/programs/migrate.ts',
  append: 'test/store/programs/append.ts',
});

for (const kind of await storeKinds())
  describe.skipIf(kind.missing !== null)(kind.name, () => {
    test('of 8 processes that migrate at once, one runs each migration and all go on', async () => {
      const where = await kind.place();
      const racers = Array.from({ length: 8 }, () => run('migrate', { STORE: JSON.stringify(where) }));
      await until(() => racers.every((racer) => racer.output() !== ''), {
        what: 'all are ready',
        timeoutMs: 60_000,
      });
      for (const racer of racers) racer.terminate();
      const codes = await Promise.all(racers.map(({ exited }) => exited));
      expect(racers.map((racer) => racer.errors()).join('')).toBe('');
      expect(codes).toEqual(Array(8).fill(0));
      const { db } = kind.open(where);
      const rows = await db.selectFrom('signalbox_migrations').select('name').orderBy('name').execute();
      expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    });

    test('kill -9 in the middle loses no acknowledged row and leaves the chain whole', async () => {
      const where = await kind.place();
      const store = kind.open(where);
      await store.migrate();
      const acknowledged = new Map<string, string>();
      for (let round = 1; round <= 3; round += 1) {
        const writers = [0, 1].map(() => run('append', { STORE: JSON.stringify(where) }));
        await until(() => writers.every((writer) => writer.output().split('\n').length > 30 * round), {
          what: 'both processes write',
          timeoutMs: 60_000,
        });
        await Promise.all(writers.map((writer) => writer.kill9()));
        for (const writer of writers) {
          expect(writer.errors()).toBe('');
          // The last line may be torn.
          for (const line of writer.output().split('\n').slice(0, -1)) {
            const [seq = '', digest = ''] = line.split(' ');
            expect(acknowledged.get(seq) ?? digest).toBe(digest);
            acknowledged.set(seq, digest);
          }
        }
      }
      const audit = createAuditLog({ store, replica: 'reader', now: Date.now });
      const { rows, brokenAt } = await audit.verify();
      expect(brokenAt).toBeNull();
      const stored = await audit.read({ below: null, limit: rows });
      const digests = new Map(stored.map(({ seq, digest }) => [String(seq), digest]));
      expect([...acknowledged].filter(([seq, digest]) => digests.get(seq) !== digest)).toEqual([]);
      expect(acknowledged.size).toBeGreaterThan(300);
    });
  });
