/** The end of `npm test`, which is all that a build server keeps. */
import { expect, test } from 'vitest';
import { reportOf } from '@/scripts/run-report.mjs';
import { ofStep } from '@/scripts/tally.mjs';

const versions = ['Consul 1.22.7 from its release: check, int, e2e', 'Consul 1.8.7 from Debian: int'];
const uncovered = ['Firefox (there is none)', 'Consul 1.8.7 (no mirror)'];
const notCovered = 'NOT COVERED: Firefox (there is none); Consul 1.8.7 (no mirror)';
const run = { tallies: [ofStep(0, 'lint')], versions, uncovered: [], ci: false, tookMs: 1_084_600 };
const endOf = (text: string, lines: number) => text.split('\n').slice(-lines);

test('the last lines are the versions, the sum with the time of the whole run, and what was not covered', () => {
  expect(endOf(reportOf(run).text, 3)).toEqual([...versions, '1 passed, 0 failed, in 18 min 5 s']);
  expect(endOf(reportOf({ ...run, uncovered, tookMs: 59_400 }).text, 4)).toEqual([
    ...versions,
    '1 passed, 0 failed, in 59 s',
    notCovered,
  ]);
});

test('they are the last lines of a red run, too, below every failure', () => {
  const failures = Array.from({ length: 40 }, (_, n) => `unit: test ${n}\n    expected 1 to be 2`);
  const red = { passed: 3, failed: 40, skipped: 0, failures };
  const { text, exitCode } = reportOf({ ...run, tallies: [red, ofStep(0, 'lint')], uncovered });
  expect(exitCode).toBe(1);
  expect(endOf(text, 4)).toEqual([...versions, '4 passed, 40 failed, in 18 min 5 s', notCovered]);
  for (const failure of failures) expect(text.indexOf(failure)).toBeGreaterThan(-1);
  expect(text).toContain('== what failed');
});

test('a part that was not covered fails the run of a build server alone', () => {
  expect(reportOf(run).exitCode).toBe(0);
  expect(reportOf({ ...run, ci: true }).exitCode).toBe(0);
  expect(reportOf({ ...run, uncovered }).exitCode).toBe(0);
  const { text, exitCode } = reportOf({ ...run, uncovered, ci: true });
  expect(exitCode).toBe(1);
  expect(text).toContain(`== what failed\n\nnot covered: ${uncovered.join('; ')}`);
  expect(endOf(text, 2)).toEqual(['1 passed, 1 failed, in 18 min 5 s', notCovered]);
});

test('a run whose tiers never reached a Consul names what there is', () => {
  expect(reportOf({ ...run, versions: [] }).text).toBe('\n1 passed, 0 failed, in 18 min 5 s');
});
