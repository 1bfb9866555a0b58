/** The last lines of `npm test`. A build server keeps the end of a run only, so what must be read stands there. */
import { line, ofStep, sum } from './tally.mjs';

/**
 * @typedef {object} Run
 * @property {import('./tally.mjs').Tally[]} tallies
 * @property {string[]} versions what the tiers ran on, a line each
 * @property {string[]} uncovered the servers that this machine lacks, each with the reason
 * @property {string[]} untried the same for what a build server need not have
 * @property {boolean} ci whether a build server runs it, which has to cover every server
 * @property {number} tookMs
 */

/** @param {number} ms such as `18 min 5 s` */
function duration(ms) {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}

/**
 * The end of a run. Failures come first, because there may be hundreds.
 * @param {Run} run
 * @returns {{ text: string, exitCode: 0 | 1 }}
 */
export function reportOf({ tallies, versions, uncovered, untried, ci, tookMs }) {
  const missing = uncovered.join('; ');
  const all = [...uncovered, ...untried];
  const total = sum([
    ...tallies,
    // A missing part must not pass as tested.
    ...(ci && uncovered.length > 0 ? [ofStep(1, `not covered: ${missing}`)] : []),
  ]);
  const parts = [
    ...(total.failures.length === 0 ? [] : ['== what failed', ...total.failures]),
    [
      ...versions,
      `The whole run took ${duration(tookMs)}.`,
      line(total),
      ...(all.length === 0 ? [] : [`NOT COVERED: ${all.join('; ')}`]),
    ].join('\n'),
  ];
  return { text: `\n${parts.join('\n\n')}`, exitCode: total.failed === 0 ? 0 : 1 };
}
