import { expect, test } from 'vitest';
import { pinnedVersion } from '@/scripts/hashicorp.mjs';
import { withTested } from '@/scripts/tested.mjs';

const empty = 'Before.\n<!-- tested: written by npm test -->\n<!-- /tested -->\nAfter.\n';
const run = (document: string, main: string, old: string | null, day = '2026-11-23') =>
  withTested(document, { main, old, day });

test('the table names what every run covers without a day, so that a second run changes nothing', () => {
  const once = run(empty, pinnedVersion, '1.8.7');
  expect(once).toContain(
    `| ${pinnedVersion} | every tier | every run |\n| 1.8.7 | integration tier | every run |`,
  );
  expect(run(once, pinnedVersion, '1.8.7', '2027-01-01')).toBe(once);
  expect(once.startsWith('Before.\n')).toBe(true);
  expect(once.endsWith('\nAfter.\n')).toBe(true);
});

test('another version gets a row with its day, and takes none from the others', () => {
  const both = run(run(empty, pinnedVersion, '1.8.7'), '2.1.0', null);
  expect(both).toContain(
    `| 2.1.0 | every tier | 2026-11-23 |\n| ${pinnedVersion} | every tier | every run |`,
  );
  expect(both).toContain('| 1.8.7 | integration tier | every run |');
});

test('a document without the marks is refused', () => {
  expect(() => run('nothing', pinnedVersion, null)).toThrow('lost the marks');
});
