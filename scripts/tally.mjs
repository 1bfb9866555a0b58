/**
 * Counts the results of the test tools. A tier that ran nothing, or failed without naming a test, counts as a failure.
 */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './project.mjs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} failures what failed, each with the first lines of its error. A build server keeps the end of a
 *   run only, so the run names them again there
 */

/** Most characters of an error to repeat: enough for an assertion and its place. */
const errorMax = 700;

/** @param {Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  /** @type {Tally} */
  const total = { passed: 0, failed: 0, skipped: 0, failures: [] };
  for (const { passed, failed, skipped, failures } of tallies) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
    total.failures.push(...failures);
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
 * The result of a step that either works or does not.
 * @param {number | null} code exit code
 * @param {string} title
 * @returns {Tally}
 */
export function ofStep(code, title) {
  return code === 0
    ? { passed: 1, failed: 0, skipped: 0, failures: [] }
    : { passed: 0, failed: 1, skipped: 0, failures: [title] };
}

/**
 * The result in a tool's JSON report, made consistent with its exit code.
 * @template T
 * @param {(report: T) => Tally} read
 * @param {Run} run
 * @returns {Tally}
 */
function ofReport(read, { file, code, title }) {
  /** @type {Tally} */
  let tally;
  try {
    tally = read(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [`${title}: it left no report`] };
  }
  const nothing = tally.passed + tally.failed === 0;
  if (tally.failed > 0 || (code === 0 && !nothing)) return tally;
  const why = nothing
    ? 'no test ran'
    : `no test failed, but it ended with ${code}: an error outside of any test`;
  return { ...tally, failed: 1, failures: [...tally.failures, `${title}: ${why}`] };
}

/**
 * @typedef {object} Run
 * @property {string} file its JSON report
 * @property {number | null} code exit code
 * @property {string} title
 */

/**
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ name: string, status: string, message: string, assertionResults: { fullName: string, status: string,
 *   failureMessages: string[] }[] }[]} testResults
 */

/**
 * The result of vitest. A file that cannot be loaded has no failed test, so it counts as one.
 * @param {Run} run
 * @returns {Tally}
 */
export function ofVitest(run) {
  return ofReport((/** @type {VitestReport} */ report) => {
    const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed');
      const whole = status === 'failed' && failed.length === 0 ? [told(run.title, name, '', message)] : [];
      return [
        ...whole,
        ...failed.map((test) => told(run.title, name, test.fullName, test.failureMessages.join('\n'))),
      ];
    });
    return {
      passed: report.numPassedTests,
      failed: Math.max(report.numFailedTests, failures.length),
      skipped: report.numPendingTests + report.numTodoTests,
      failures,
    };
  }, run);
}

/**
 * @typedef {object} PlaywrightSuite
 * @property {PlaywrightSuite[]} [suites]
 * @property {{ title: string, ok: boolean, file: string, line: number, tests: { results: { errors: { message?: string }[]
 *   }[] }[] }[]} [specs]
 */

/** @param {Run} run @returns {Tally} */
export function ofPlaywright(run) {
  return ofReport(
    (
      /** @type {PlaywrightSuite & { stats: { expected: number, unexpected: number, skipped: number } }} */ report,
    ) => ({
      passed: report.stats.expected,
      failed: report.stats.unexpected,
      skipped: report.stats.skipped,
      failures: specsOf(report)
        .filter(({ ok }) => !ok)
        .map(({ title, file, line, tests }) => {
          const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors));
          return told(
            run.title,
            `${file}:${line}`,
            title,
            errors.map(({ message }) => message ?? '').join('\n'),
          );
        }),
    }),
    run,
  );
}

/** @param {PlaywrightSuite} suite @returns {NonNullable<PlaywrightSuite['specs']>} */
function specsOf({ suites = [], specs = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}

/**
 * @param {string} title
 * @param {string} file
 * @param {string} test
 * @param {string} error
 */
function told(title, file, test, error) {
  const text = stripVTControlCharacters(error).trim();
  const cut = text.length > errorMax ? `${text.slice(0, errorMax)} …` : text;
  return `${title}: ${relative(root, resolve(root, file))}${test === '' ? '' : `: ${test}`}\n${cut.replace(/^/gm, '    ')}`;
}
