/** A recorder that is stopped in the middle of it (SIGSTOP), as a machine that is suspended. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { openStore } from '@/lib/server/store/store';
import { heldLock, session } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { programs } from '@/test/support/programs';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const run = await programs({ recorder: 'test/history/programs/recorder.ts' });

test('what happened while it slept happened in a gap', async () => {
  const where = { folder: freshFolder() };
  const recorder = run('recorder', { STORE: JSON.stringify(where), CONSUL: consul.address });
  await until(() => recorder.output().endsWith('recording\n'), { what: 'it to record', timeoutMs: 30_000 });
  const query = createHistoryQuery({ store: openStore(where), days: 30, now: Date.now });
  const read = (key: string) =>
    query.read(
      { by: 'subject', subject: `lock:${key}` },
      { fromMs: Date.now() - 600_000, toMs: Date.now(), limit: 100 },
    );
  const { key, id } = await heldLock(client);
  await until(async () => (await read(key)).episodes.length === 1, { what: 'the hold' });
  recorder.pause();
  const sleptMs = Date.now();
  await client.release({ key, value: Buffer.from('x'), flags: '0', session: id });
  const next = await session(client);
  await client.acquire({ key, value: Buffer.from('y'), flags: '0', session: next });
  // Sleep itself is what is tested.
  await delay(4_000);
  recorder.resume();
  // The first gap is the time before it recorded. The other may begin with the last look before the hold.
  const sleeps = ({ gaps }: Awaited<ReturnType<typeof read>>) =>
    gaps.filter(({ toMs }) => toMs === null || toMs > sleptMs);
  const found = await until(
    async () => {
      const found = await read(key);
      return found.episodes.length === 2 && sleeps(found).some(({ toMs }) => toMs !== null) && found;
    },
    { what: 'it to see what is there now', timeoutMs: 30_000 },
  );
  expect(found.episodes).toMatchObject([
    { who: { id }, end: 'not-watched', to: { basis: 'at-most' } },
    { who: { id: next }, end: null, from: { basis: 'at-least' } },
  ]);
  expect(sleeps(found)).toHaveLength(1);
  // After what it has recorded, and not after it was put to sleep.
  expect(sleeps(found)[0]?.fromMs).toBeLessThan(sleptMs + 3_000);
  expect(recorder.errors()).toBe('');
}, 180_000);
