/** Counts what the test tools report. A tier that ran nothing, or failed without saying where, counts as a failure. */
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/** @param {Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of tallies) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

/**
 * The one line that ends a run.
 * @param {Tally} tally
 * @returns {string}
 */
export function line({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * A step that either works or does not.
 * @param {number | null} code exit code
 * @returns {Tally}
 */
export function ofStep(code) {
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
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
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const nothing = tally.passed + tally.failed === 0;
  return tally.failed === 0 && (code !== 0 || nothing) ? { ...tally, failed: 1 } : tally;
}

/** @param {{ file: string, code: number | null }} run @returns {Tally} */
export function ofVitest(run) {
  return ofReport(
    ({ numPassedTests, numFailedTests, numPendingTests, numTodoTests }) => ({
      passed: Number(numPassedTests),
      failed: Number(numFailedTests),
      skipped: Number(numPendingTests) + Number(numTodoTests),
    }),
    run,
  );
}

/** @param {{ file: string, code: number | null }} run @returns {Tally} */
export function ofPlaywright(run) {
  return ofReport(({ stats }) => {
    const { expected, unexpected, flaky, skipped } = /** @type {Record<string, unknown>} */ (stats);
    return {
      passed: Number(expected),
      // A test that passes at a second try has failed once, and that is what counts.
      failed: Number(unexpected) + Number(flaky),
      skipped: Number(skipped),
    };
  }, run);
}
