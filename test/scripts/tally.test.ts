import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { inProject } from '@/scripts/project.mjs';
import { line, ofPlaywright, ofStep, ofVitest, sum } from '@/scripts/tally.mjs';

const dir = mkdtempSync(join(tmpdir(), 'signalbox-tally-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const report = (content: object) => {
  const file = join(dir, 'report.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
};
const vitest = (passed: number, failed: number, skipped = 0, testResults: object[] = []) =>
  report({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: 0,
    testResults,
  });
const unit = (file: string, code: number) => ofVitest({ file, code, title: 'unit' });
const e2e = (content: object, code: number) => ofPlaywright({ file: report(content), code, title: 'e2e' });

test('a tier that ran no test is a failure', () => {
  expect(unit(vitest(0, 0), 0)).toMatchObject({ failed: 1, failures: ['unit: no test ran'] });
  expect(e2e({ stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 3 } }, 0)).toMatchObject({
    failed: 1,
  });
  expect(unit(join(dir, 'none.json'), 0)).toMatchObject({ failed: 1, failures: ['unit: it left no report'] });
});

test('a tool that fails without a failed test is a failure', () => {
  expect(unit(vitest(9, 0), 1)).toMatchObject({ passed: 9, failed: 1, skipped: 0 });
  expect(unit(vitest(9, 2), 1)).toMatchObject({ passed: 9, failed: 2, skipped: 0 });
  expect(ofStep(null, 'lint')).toMatchObject({ failed: 1, failures: ['lint'] });
});

test('a failed test is named with the beginning of its error, anywhere in the report', () => {
  const fullName = 'a lock is free';
  const name = inProject('test/a.test.ts');
  const failureMessages = [`\u001b[31mAssertionError\u001b[39m: expected 1 to be 2\n    at here`];
  const failedTest = {
    name,
    status: 'failed',
    message: '',
    assertionResults: [
      { fullName, status: 'failed', failureMessages },
      { fullName: 'another', status: 'passed', failureMessages: [] },
    ],
  };
  const failedFile = {
    name: inProject('test/b.test.ts'),
    status: 'failed',
    message: 'x'.repeat(2_000),
    assertionResults: [],
  };
  const ofUnit = unit(vitest(1, 1, 0, [failedTest, failedFile]), 1);
  expect(ofUnit.failed).toBe(2);
  expect(ofUnit.failures[0]).toBe(
    'unit: test/a.test.ts: a lock is free\n    AssertionError: expected 1 to be 2\n        at here',
  );
  expect(ofUnit.failures[1]).toMatch(/^unit: test\/b\.test\.ts\n {4}x{700} …$/);

  const results = (message: string) => [{ results: [{ errors: [{ message }] }] }];
  const spec = {
    title: 'it opens',
    ok: false,
    file: 'board.spec.ts',
    line: 7,
    tests: results('Error: closed'),
  };
  const passed = { ...spec, ok: true };
  const stats = { expected: 1, unexpected: 1, flaky: 0, skipped: 0 };
  expect(e2e({ stats, suites: [{ specs: [passed], suites: [{ specs: [spec] }] }] }, 1).failures).toEqual([
    'e2e: board.spec.ts:7: it opens\n    Error: closed',
  ]);
});

test('the last line is the sum, and names skipped tests only when there are some', () => {
  const total = sum([ofStep(0, 'lint'), unit(vitest(9, 0), 0)]);
  expect(line(total)).toBe('10 passed, 0 failed');
  expect(line(sum([total, unit(vitest(1, 1, 2), 1)]))).toBe('11 passed, 1 failed, 2 skipped');
});
