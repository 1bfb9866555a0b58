/** Several sources by the environment alone, on real agents: who may be watched together, and what ends the start. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startConsul } from '@/test/support/consul';
import { programs } from '@/test/support/programs';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const run = await programs({ server: 'test/operations/programs/server.ts' });
const folder = freshFolder();
const started = (env: Record<string, string>) =>
  run('server', { SIGNALBOX_DATA: folder, NODE_ENV: 'production', ...env });
const start = (sources: string) => started({ SIGNALBOX_SOURCES: sources });

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

test('a file of sources, each with a token of its own from a file, starts where the second says who sees it', async () => {
  const token = join(folder, 'west-token');
  writeFileSync(token, `${other.token}\n`);
  const list = join(folder, 'sources');
  const write = (path: string) =>
    writeFileSync(
      list,
      `# both ask\nconsul://${guarded.address}?id=east\nconsul://${other.address}?id=west&token-file=${path}&access=read\n`,
    );
  write(token);
  const server = started({ SIGNALBOX_SOURCES_FILE: list });
  await until(() => server.output().includes('started'), { what: 'it has started' });
  server.terminate();
  expect(await server.exited).toBe(143);
  expect(server.output() + server.errors()).not.toContain(other.token ?? '-');

  write(join(folder, 'none'));
  const wrong = started({ SIGNALBOX_SOURCES_FILE: list });
  expect(await wrong.exited).toBe(1);
  expect(wrong.errors()).toContain(
    `Signalbox cannot start: SIGNALBOX_SOURCES: token-file of west names ${join(folder, 'none')}, which cannot be read.`,
  );
});
