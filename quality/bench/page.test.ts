import { expect, test } from 'vitest';
import { atMost, ms, plainFigure, type Table } from './figure';
import { type Measured, pageOf, type Run } from './page';

const run: Run = {
  tree: '0123abc, with uncommitted changes',
  consul: '1.22.7, its Go module 1.22.7',
  node: '20.20.2',
  cpu: 'A processor',
  cores: 2,
  memoryGb: 24,
  startedAt: '2026-11-23T03:06:07.000Z',
  endedAt: '2026-11-23T03:46:07.000Z',
  loadBefore: [0.1, 0.25, 0.5],
  loadAfter: [1, 1.5, 2],
};
const measured = (name: string, table: Table | null): Measured => ({
  title: `${name}: one, two`,
  about: `About ${name}.`,
  excluded: `8 rounds of ${name}.`,
  result: table === null ? null : { table, startedAt: '2026-11-23T03:10:00.000Z' },
});
const page = pageOf(run, [
  measured('wake', {
    compared: 'a bare query',
    figures: [
      atMost('median', { ours: 18, compared: 10, max: 1.5, show: ms }),
      atMost('p99', { ours: 18, compared: 10, max: 2, show: ms }),
      { ...plainFigure('cycles', { ours: 18, compared: 10, show: ms }), ratioError: 0.04 },
    ],
    notes: ['A note.'],
  }),
  measured('pixel', null),
]);
const head = page.slice(0, page.indexOf('\n## '));

test('the page has one head, which says what holds for every section', () => {
  for (const said of [
    '- Tree: 0123abc, with uncommitted changes',
    '- Consul: 1.22.7, its Go module 1.22.7',
    '- Machine: 2 cores (A processor), 24 GB, Node 20.20.2',
    '- Run: 2026-11-23 03:06 to 2026-11-23 03:46 UTC',
    '0.10, 0.25, 0.50 before, 1.00, 1.50, 2.00 after',
  ])
    expect(head).toContain(said);
  expect(page.match(/Node 20/g)).toHaveLength(1);
});

test('the head counts the goals of each section, and says what it leaves out', () => {
  expect(head).toContain(
    '| [wake: one, two](#wake-one-two) | 03:10 | 1 met, **1 missed** | 8 rounds of wake. |',
  );
});

test('a missed goal says by how much in its row', () => {
  expect(page).toContain('| median | 18 ms | 10 ms | 1.80x | <= 1.5x | **missed** by 0.30x (20 %) |');
  expect(page).toContain('| p99 | 18 ms | 10 ms | 1.80x | <= 2x | met |');
  expect(page).toContain('| cycles | 18 ms | 10 ms | 1.80x ± 0.04 |  |  |');
});

test('a section whose benchmark failed says so, and keeps nothing of another run', () => {
  expect(head).toContain('|  | **not measured** | 8 rounds of pixel. |');
  expect(page.slice(page.indexOf('## pixel'))).toBe(
    '## pixel: one, two\n\nAbout pixel.\n\n**Not measured**: the benchmark failed in this run.\n',
  );
});
