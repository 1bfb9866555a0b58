/** Two replicas, as processes of their own, on one store: one of them writes, and the other follows it. */
import { describe, expect, test } from 'vitest';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { heldLock, session } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { programs } from '@/test/support/programs';
import { storeKinds } from '@/test/support/stores';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const run = await programs({ recorder: 'test/history/programs/recorder.ts' });

for (const kind of await storeKinds())
  describe.skipIf(kind.missing !== null)(kind.name, () => {
    test('one of two replicas writes; when it is killed the other goes on, and the time between is a gap', async () => {
      const where = await kind.place();
      const env = { STORE: JSON.stringify(where), CONSUL: consul.address };
      const replicas = [run('recorder', env), run('recorder', env)];
      const recording = () => replicas.filter((one) => one.output().endsWith('recording\n'));
      const query = createHistoryQuery({ store: kind.open(where), days: 30, now: Date.now });
      const read = (key: string) =>
        query.read(
          { by: 'subject', subject: `lock:${key}` },
          { fromMs: Date.now() - 600_000, toMs: Date.now(), limit: 100 },
        );
      await until(() => recording().length > 0 && replicas.every((one) => /live \w+\n$/.test(one.output())), {
        what: 'one to write, and both to watch',
        timeoutMs: 30_000,
      });
      const { key, id } = await heldLock(client);
      await until(async () => (await read(key)).episodes.length === 1, { what: 'the hold' });
      expect(recording()).toHaveLength(1);
      const [writer] = recording();
      await writer?.kill9();
      // Before the other has the pen.
      await client.release({ key, value: Buffer.from('x'), flags: '0', session: id });
      const next = await session(client);
      await client.acquire({ key, value: Buffer.from('y'), flags: '0', session: next });
      const { episodes, gaps } = await until(
        async () => {
          const found = await read(key);
          return found.episodes.length === 2 && found.gaps.some(({ toMs }) => toMs !== null) && found;
        },
        { what: 'the other to follow', timeoutMs: 45_000 },
      );
      expect(episodes).toMatchObject([
        { who: { id }, end: 'not-watched', to: { basis: 'at-most' } },
        // The other replica has watched all the time.
        { who: { id: next }, end: null, from: { basis: 'observed' } },
      ]);
      expect(gaps.at(-1)?.why).toBe('restart');
      expect(replicas.map((one) => one.errors()).join('')).toBe('');
    }, 120_000);
  });
