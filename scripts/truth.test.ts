import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readmeWith, truthDocument } from '@/quality/truth/document';
import { shapes } from '@/quality/truth/shapes';
import { chapters, situations } from '@/quality/truth/table';

test('docs/truth.md says what the table says (node scripts/truth.mjs writes it)', () => {
  expect(readFileSync('docs/truth.md', 'utf8')).toBe(truthDocument(chapters, shapes));
});

test('README.md says how many situations there are', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(readme).toBe(readmeWith(readme, situations.length));
});

test('at least forty situations, each once', () => {
  const titles = situations.map((one) => one.title);
  expect(titles.length).toBeGreaterThanOrEqual(40);
  expect(new Set(titles).size).toBe(titles.length);
});
