/** A writer of keys decides how much there is to judge. Meanwhile all other requests are served. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { runtime } from '@/lib/server/runtime';
import { type Served, serve, whenLive } from '@/test/machines/served';
import { startConsul } from '@/test/support/consul';
import { watchPieces } from '@/test/support/pieces';
import { until } from '@/test/support/until';

vi.mock('server-only', () => ({}));

const consul = await startConsul();
const client = consul.client();
let served: Served;

beforeAll(async () => {
  served = await serve(consul, { SIGNALBOX_RENEWAL_AGENTS: 'off' });
  await whenLive();
});
afterAll(async () => {
  await served.stop();
  await consul.stop();
});

const semaphores = () => runtime().viewpoints.own.hub.snapshot().semaphores;
const entries = 24;
const namesOfEntry = 4_000;

/** Made before anything is measured: the writer is in this thread as well. */
const valueOfNames = () => {
  const names = Array.from({ length: namesOfEntry }, () => [randomUUID(), true]);
  return Buffer.from(JSON.stringify({ Limit: 3, Holders: Object.fromEntries(names) }));
};

async function write(value: Buffer, at: number): Promise<void> {
  const key = `jobs-${at}/.lock`;
  const index = semaphores().find(({ prefix }) => prefix === `jobs-${at}`)?.modifyIndex ?? '0';
  expect(await client.cas({ key, value, flags: semaphoreFlags, index })).toBe(true);
}

test('24 entries of 4,000 names that are rewritten at once delay no other request for long', async () => {
  const values = Array.from({ length: entries }, valueOfNames);
  const others = values.map(valueOfNames);
  await Promise.all(values.map(write));
  await until(() => semaphores().filter(({ recorded }) => recorded === namesOfEntry).length === entries, {
    what: 'all semaphores in view',
    timeoutMs: 50_000,
  });
  const before = new Set(semaphores().map(({ modifyIndex }) => modifyIndex));
  const pieces = watchPieces();
  await Promise.all(others.map(write));
  await until(() => semaphores().every(({ modifyIndex }) => !before.has(modifyIndex)), {
    what: 'all semaphores as they were rewritten',
    timeoutMs: 50_000,
  });
  // All of them together take a second and more. `docs/decisions/0053` has the figures.
  expect(pieces.end()).toBeLessThan(300);
}, 120_000);
