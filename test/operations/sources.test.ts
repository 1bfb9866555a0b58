/** Several sources by the environment alone, on real agents: who may be watched together, and what ends the start. */
import { expect, test } from 'vitest';
import { startConsul } from '@/test/support/consul';
import { programs } from '@/test/support/programs';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const run = await programs({ server: 'test/operations/programs/server.ts' });
const folder = freshFolder();
const start = (sources: string) =>
  run('server', { SIGNALBOX_SOURCES: sources, SIGNALBOX_DATA: folder, NODE_ENV: 'production' });

const [guarded, other, open] = await Promise.all([
  startConsul({ acl: true }),
  startConsul({ acl: true }),
  startConsul(),
]);

test('two sources that both ask for tokens end the start with a sentence that names them', async () => {
  const server = start(`consul://${guarded.address}?id=east consul://${other.address}?id=west`);
  expect(await server.exited).toBe(1);
  expect(server.errors()).toContain(
    'Signalbox cannot start: SIGNALBOX_SOURCES: east and west both ask for tokens.',
  );
});

test('a source that asks for tokens must be the one that people sign in to', async () => {
  const server = start(`consul://${open.address}?id=east consul://${guarded.address}?id=west`);
  expect(await server.exited).toBe(1);
  expect(server.errors()).toContain('west asks for tokens, so it must stand before east.');
});

test('one that asks beside one that does not, and one that is away, start', async () => {
  const server = start(
    `consul://${guarded.address}?id=east consul://${open.address}?id=west consul://127.0.0.1:1?id=away`,
  );
  await until(() => server.output().includes('started'), { what: 'it has started' });
  server.terminate();
  expect(await server.exited).toBe(143);
});
