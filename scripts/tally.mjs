/**
 * Counts what the test tools report. A tier that ran nothing, or failed without saying where, counts as a failure.
 */
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/** @param {Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  /** @type {Tally} */
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of tallies) {
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
    (report) => ({
      passed: Number(report.numPassedTests),
      failed: Number(report.numFailedTests),
      skipped: Number(report.numPendingTests) + Number(report.numTodoTests),
    }),
    run,
  );
}

/** @param {{ file: string, code: number | null }} run @returns {Tally} */
export function ofPlaywright(run) {
  return ofReport((report) => {
    const { expected, unexpected, skipped } = /** @type {Record<string, unknown>} */ (report.stats);
    return { passed: Number(expected), failed: Number(unexpected), skipped: Number(skipped) };
  }, run);
}
