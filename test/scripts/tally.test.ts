import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { line, ofPlaywright, ofStep, ofVitest, secondTries, sum } from '@/scripts/tally.mjs';

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

test('what passed only at the second try has passed, and the end of the run names it', () => {
  const unit = ofVitest({
    file: report({
      numPassedTests: 2,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      testResults: [
        {
          assertionResults: [
            { status: 'passed', title: 'steady', failureMessages: [] },
            { status: 'passed', title: 'a storm', failureMessages: ['AssertionError: …'] },
          ],
        },
      ],
    }),
    code: 0,
  });
  const e2e = ofPlaywright({
    file: report({
      stats: { expected: 4, unexpected: 0, flaky: 1, skipped: 0 },
      suites: [
        { suites: [{ specs: [{ title: 'a lock', tests: [{ status: 'flaky' }] }] }], specs: [] },
        { specs: [{ title: 'a board', tests: [{ status: 'expected' }] }] },
      ],
    }),
    code: 0,
  });
  const total = sum([unit, e2e]);
  expect(line(total)).toBe('7 passed, 0 failed');
  expect(secondTries(total)).toBe('2 PASSED ONLY AT THE SECOND TRY: a storm · a lock');
  expect(secondTries(ofStep(0))).toBeNull();
});
