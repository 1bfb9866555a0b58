import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { line, ofPlaywright, ofStep, ofVitest, sum } from '@/scripts/tally.mjs';

const dir = mkdtempSync(join(tmpdir(), 'signalbox-tally-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const report = (content: object) => {
  const file = join(dir, 'report.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
};
const vitest = (passed: number, failed: number, skipped = 0) =>
  report({ numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numTodoTests: 0 });

test('a tier that ran no test is a failure', () => {
  expect(ofVitest({ file: vitest(0, 0), code: 0 })).toMatchObject({ failed: 1 });
  expect(
    ofPlaywright({ file: report({ stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 3 } }), code: 0 }),
  ).toMatchObject({ failed: 1 });
  expect(ofVitest({ file: join(dir, 'none.json'), code: 0 })).toMatchObject({ failed: 1 });
});

test('a tool that fails without a failed test is a failure', () => {
  expect(ofVitest({ file: vitest(9, 0), code: 1 })).toMatchObject({ passed: 9, failed: 1, skipped: 0 });
  expect(ofVitest({ file: vitest(9, 2), code: 1 })).toMatchObject({ passed: 9, failed: 2, skipped: 0 });
  expect(ofStep(null)).toMatchObject({ failed: 1 });
});

test('the last line is the sum, and names skipped tests only when there are some', () => {
  const total = sum([ofStep(0), ofVitest({ file: vitest(9, 0), code: 0 })]);
  expect(line(total)).toBe('10 passed, 0 failed');
  expect(line(sum([total, ofVitest({ file: vitest(1, 1, 2), code: 1 })]))).toBe(
    '11 passed, 1 failed, 2 skipped',
  );
});
