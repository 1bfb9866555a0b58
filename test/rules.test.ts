/** The repository's own rules, where a linter cannot see them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean);
const sources = files.filter((f) => /\.(ts|tsx|mjs)$/.test(f));
const text = (file: string) => readFileSync(file, 'utf8');
const importsOf = (file: string) =>
  [...text(file).matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((m) => m[1] ?? '');

test('only lib/consul/client.ts imports the consul package', () => {
  const importers = sources.filter((f) => importsOf(f).includes('consul'));
  expect(importers).toEqual(['lib/consul/client.ts']);
});

test('no import climbs out of its folder by a relative path', () => {
  const climbers = sources.filter(
    (f) => f.startsWith('lib/') || f.startsWith('app/') || f.startsWith('components/'),
  );
  expect(climbers.filter((f) => importsOf(f).some((i) => i.startsWith('../')))).toEqual([]);
});

test('Consul is named by the composition root alone on the server', () => {
  const importers = sources.filter(
    (f) =>
      f.startsWith('lib/server/') &&
      !f.endsWith('.test.ts') &&
      importsOf(f).some((i) => i.startsWith('@/lib/consul')),
  );
  // env.ts reads the settings' type of whichever provider runtime.ts composes.
  expect(importers.filter((f) => !['lib/server/runtime.ts', 'lib/server/env.ts'].includes(f))).toEqual([]);
});

test('no drawers: a file or folder is named after one noun', () => {
  const drawers = /(^|\/)(utils?|helpers?|types|hooks|services?|managers?|common|misc|shared)(\/|\.|$)/i;
  expect(files.filter((f) => drawers.test(f))).toEqual([]);
});

test('a route parses, calls and answers in 25 lines', () => {
  const long = sources.filter((f) => basename(f) === 'route.ts' && text(f).trimEnd().split('\n').length > 25);
  expect(long).toEqual([]);
});

test('a source file fits in the head: at most 350 lines', () => {
  const long = sources.filter((f) => !f.includes('.test.') && text(f).split('\n').length > 351);
  expect(long).toEqual([]);
});

test('the lock file names no download address, and no package runs an install script', () => {
  const lock = text('package-lock.json');
  expect(lock).not.toContain('"resolved"');
  expect(lock).not.toContain('"hasInstallScript"');
});

test('every decision record is numbered without a gap', () => {
  const numbers = files
    .filter((f) => /^docs\/decisions\/\d{4}-/.test(f))
    .map((f) => Number(basename(f).slice(0, 4)));
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
});
