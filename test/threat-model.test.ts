/** The threat model names a test for each threat: a test that is gone leaves a promise that nobody keeps. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const named = [
  ...readFileSync('docs/threat-model.md', 'utf8').matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?)`: "([^"]+)"/g),
].map(([, file = '', title = '']) => ({ file, title }));

test('every test that the threat model names is there, under the title that it names', () => {
  expect(named.length).toBeGreaterThan(20);
  const gone = named.filter(
    ({ file, title }) =>
      !existsSync(file) || !readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ').includes(title),
  );
  expect(gone).toEqual([]);
});

test('every threat in the table has at least one', () => {
  const rows = readFileSync('docs/threat-model.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (threat|---)/.test(line));
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !/\.(test|spec)\.ts`: "/.test(row))).toEqual([]);
});
