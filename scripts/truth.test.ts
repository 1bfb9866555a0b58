import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { madeCount, readmeWith, truthDocument } from '@/quality/truth/document';
import { shapes } from '@/quality/truth/shapes';
import { chapters, situations } from '@/quality/truth/table';

test('docs/truth.md says what the table says (node scripts/truth.mjs writes it)', () => {
  expect(readFileSync('docs/truth.md', 'utf8')).toBe(truthDocument(chapters, shapes));
});

test('README.md says how many situations every run makes, without those of a Consul that no run has', () => {
  const readme = readFileSync('README.md', 'utf8');
  const ruled = situations.filter(({ keys }) => keys === 'ruled');
  expect(ruled).not.toEqual([]);
  expect(readme).toBe(readmeWith(readme, situations.length - ruled.length));
  expect(madeCount(ruled)).toBe(0);
  const marked = readFileSync('docs/truth.md', 'utf8').match(
    /^\| \d+ \| .* Only on Consul 2\.0 and later\. \|/gm,
  );
  expect(marked).toHaveLength(ruled.length);
});

test('at least forty situations, each once', () => {
  const titles = situations.map((one) => one.title);
  expect(titles.length).toBeGreaterThanOrEqual(40);
  expect(new Set(titles).size).toBe(titles.length);
});
