/**
 * Counts what the test tools report. A tier that ran nothing, or failed without saying where, counts as a failure. What
 * passed only at the second try has passed, and is named at the end of the run.
 */
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} retried titles of what passed at the second try; each is counted as passed, too
 */

/** @param {Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  /** @type {Tally} */
  const total = { passed: 0, failed: 0, skipped: 0, retried: [] };
  for (const { passed, failed, skipped, retried } of tallies) {
    total.retried.push(...retried);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

/**
 * The sum of a run.
 * @param {Tally} tally
 * @returns {string}
 */
export function line({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * What passed only at the second try; `null` where nothing did.
 * @param {Tally} tally
 * @returns {string | null}
 */
export function secondTries({ retried }) {
  return retried.length === 0
    ? null
    : `${retried.length} PASSED ONLY AT THE SECOND TRY: ${retried.join(' · ')}`;
}

/**
 * A step that either works or does not.
 * @param {number | null} code exit code
 * @returns {Tally}
 */
export function ofStep(code) {
  return code === 0
    ? { passed: 1, failed: 0, skipped: 0, retried: [] }
    : { passed: 0, failed: 1, skipped: 0, retried: [] };
}

/**
 * What a test tool said in its JSON report, made consistent with its exit code.
 * @param {(report: Record<string, unknown>) => Tally} read
 * @param {{ file: string, code: number | null }} run
 * @returns {Tally}
 */
function ofReport(read, { file, code }) {
  /** @type {Tally} */
  let tally;
  try {
    tally = read(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, retried: [] };
  }
  const nothing = tally.passed + tally.failed === 0;
  return tally.failed === 0 && (code !== 0 || nothing) ? { ...tally, failed: 1 } : tally;
}

/** @typedef {{ stats: Record<string, unknown>, suites?: Suite[] }} PlaywrightReport */
/** @typedef {{ suites?: Suite[], specs?: { title: string, tests: { status: string }[] }[] }} Suite */
/**
 * @typedef {object} VitestReport
 * @property {unknown} numPassedTests
 * @property {unknown} numFailedTests
 * @property {unknown} numPendingTests
 * @property {unknown} numTodoTests
 * @property {{ assertionResults: { status: string, title: string, failureMessages?: string[] }[] }[]} [testResults]
 */

/** @param {{ file: string, code: number | null }} run @returns {Tally} */
export function ofVitest(run) {
  return ofReport((read) => {
    const report = /** @type {VitestReport} */ (/** @type {unknown} */ (read));
    const tests = (report.testResults ?? []).flatMap((file) => file.assertionResults);
    return {
      passed: Number(report.numPassedTests),
      failed: Number(report.numFailedTests),
      skipped: Number(report.numPendingTests) + Number(report.numTodoTests),
      // Vitest does not count tries; a test that passed and has a failure to tell of had more than one.
      retried: tests
        .filter(({ status, failureMessages }) => status === 'passed' && (failureMessages ?? []).length > 0)
        .map(({ title }) => title),
    };
  }, run);
}

/** @param {Suite[]} suites @returns {string[]} */
function flaky(suites) {
  return suites.flatMap((suite) => [
    ...(suite.specs ?? [])
      .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
      .map(({ title }) => title),
    ...flaky(suite.suites ?? []),
  ]);
}

/** @param {{ file: string, code: number | null }} run @returns {Tally} */
export function ofPlaywright(run) {
  return ofReport((read) => {
    const { stats, suites } = /** @type {PlaywrightReport} */ (/** @type {unknown} */ (read));
    return {
      passed: Number(stats.expected) + Number(stats.flaky),
      failed: Number(stats.unexpected),
      skipped: Number(stats.skipped),
      retried: flaky(suites ?? []),
    };
  }, run);
}
