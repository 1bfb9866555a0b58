/** The threat model names a test for each threat: a missing test is an empty promise. */
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

test('half of what is tested on a store is tested on Postgres, as the threat model says', () => {
  const model = readFileSync('docs/threat-model.md', 'utf8');
  const filesOf = (store: string) => {
    const row = model.split('\n').find((line) => line.startsWith(`- ${store}: `)) ?? '';
    return [...row.matchAll(/`([\w./-]+)`/g)].map(([, file = '']) => file);
  };
  const [postgres, both, sqlite] = ['Postgres', 'both', 'SQLite'].map(filesOf) as [
    string[],
    string[],
    string[],
  ];
  // The line at the top of a file that says its store, in each of the ways that there are.
  const onPostgres = /test\.use\(\{ store: 'postgres' \}\)|stageShares\('postgres'\)/;
  const onBoth = /await storesHere\(\)|await storeKinds\(\)|await startTestPostgres\(\)/;
  const lacking = (files: readonly string[], says: (text: string) => boolean) =>
    files.filter((file) => !existsSync(file) || !says(readFileSync(file, 'utf8')));
  expect(lacking(postgres, (text) => onPostgres.test(text))).toEqual([]);
  expect(lacking(both, (text) => onBoth.test(text))).toEqual([]);
  expect(lacking(sqlite, (text) => !onPostgres.test(text) && !onBoth.test(text))).toEqual([]);
  expect(postgres.length + both.length).toBeGreaterThanOrEqual(sqlite.length);
});
