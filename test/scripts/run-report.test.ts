/** The end of `npm test`, which is all that a build server keeps. */
import { expect, test } from 'vitest';
import { reportOf } from '@/scripts/run-report.mjs';
import { ofStep } from '@/scripts/tally.mjs';

const versions = ['Consul 1.22.7 from its release: check, int, e2e', 'Consul 1.8.7 from Debian: int'];
const uncovered = ['Consul 1.8.7 (no mirror)'];
const untried = ['Firefox (there is none)'];
const notCovered = 'NOT COVERED: Consul 1.8.7 (no mirror); Firefox (there is none)';
const run = {
  tallies: [ofStep(0, 'lint')],
  versions,
  uncovered: [],
  untried: [],
  ci: false,
  tookMs: 1_084_600,
};
const endOf = (text: string, lines: number) => text.split('\n').slice(-lines);

test('the last lines are the versions, the sum with the time of the whole run, and what was not covered', () => {
  expect(endOf(reportOf(run).text, 4)).toEqual([
    ...versions,
    'The whole run took 18 min 5 s.',
    '1 passed, 0 failed',
  ]);
  expect(endOf(reportOf({ ...run, uncovered, untried, tookMs: 59_400 }).text, 5)).toEqual([
    ...versions,
    'The whole run took 59 s.',
    '1 passed, 0 failed',
    notCovered,
  ]);
});

test('they are the last lines of a red run, too, below every failure', () => {
  const failures = Array.from({ length: 40 }, (_, n) => `unit: test ${n}\n    expected 1 to be 2`);
  const red = { passed: 3, failed: 40, skipped: 0, failures };
  const { text, exitCode } = reportOf({ ...run, tallies: [red, ofStep(0, 'lint')], uncovered, untried });
  expect(exitCode).toBe(1);
  expect(endOf(text, 3)).toEqual(['The whole run took 18 min 5 s.', '4 passed, 40 failed', notCovered]);
  expect(endOf(text, 5).slice(0, 2)).toEqual(versions);
  for (const failure of failures) expect(text.indexOf(failure)).toBeGreaterThan(-1);
  expect(text).toContain('== what failed');
});

test('a server that was not covered fails the run of a build server alone, and nothing else that was not tried', () => {
  expect(reportOf(run).exitCode).toBe(0);
  expect(reportOf({ ...run, ci: true }).exitCode).toBe(0);
  expect(reportOf({ ...run, uncovered }).exitCode).toBe(0);
  expect(reportOf({ ...run, untried, ci: true }).exitCode).toBe(0);
  const { text, exitCode } = reportOf({ ...run, uncovered, untried, ci: true });
  expect(exitCode).toBe(1);
  expect(text).toContain(`== what failed\n\nnot covered: ${uncovered.join('; ')}`);
  expect(endOf(text, 2)).toEqual(['1 passed, 1 failed', notCovered]);
});

test('a run whose tiers never reached a Consul names what there is', () => {
  expect(reportOf({ ...run, versions: [] }).text).toBe(
    '\nThe whole run took 18 min 5 s.\n1 passed, 0 failed',
  );
});
