/** Identifies the tree of a run. */
import { execFileSync } from 'node:child_process';
import { root } from './project.mjs';

/** @param {string[]} args */
const git = (args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/**
 * The commit of this tree, with a mark when its files differ.
 * @param {{ but: string }} options `but`: a file that the run itself writes, which does not count
 * @returns {string | null} `null` outside of git
 */
export function treeNow({ but }) {
  try {
    const commit = git(['rev-parse', '--short=12', 'HEAD']);
    const changed = git(['status', '--porcelain', '--', '.', `:!${but}`]);
    return changed === '' ? commit : `${commit}, with uncommitted changes`;
  } catch {
    return null;
  }
}
