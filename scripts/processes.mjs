/**
 * The processes of this machine. Linux lists them in `/proc`, because slim images have no `ps`, which macOS needs.
 * Threads and processes that end meanwhile are left out.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * @typedef {object} Process
 * @property {number} pid
 * @property {number} parent
 * @property {number} group
 * @property {boolean} zombie it has ended, and waits to be reaped
 */

/** A row that every user can read. `/proc` may be empty (FreeBSD), or hide others (`hidepid`). */
const hasProc = () => existsSync('/proc/self/stat');

/**
 * One row of `/proc/<pid>/stat`. The name in it may hold anything, brackets and spaces too, so it is skipped from
 * its end.
 * @param {string} text
 * @returns {Process}
 */
export function ofStat(text) {
  const [state, parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    zombie: state === 'Z' || state === 'X',
  };
}

/**
 * @returns {Process[]} all of them; empty when this machine hides them
 */
export function processes() {
  if (hasProc())
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          return [ofStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))];
        } catch {
          return [];
        }
      });
  return ps('-A', '-o', 'pid=,ppid=,pgid=,stat=')
    .split('\n')
    .filter((row) => row.trim() !== '')
    .map((row) => {
      const [pid, parent, group, stat = ''] = row.trim().split(/\s+/);
      return {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        zombie: stat.startsWith('Z'),
      };
    });
}

/**
 * @param {number} pid
 * @returns {string | null} its program and arguments with spaces between; `null` when it is gone or hidden
 */
export function commandOf(pid) {
  if (!hasProc()) return ps('-o', 'args=', '-p', String(pid)).trim() || null;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || null;
  } catch {
    return null;
  }
}

/**
 * @param {number} pid
 * @returns {number | null} `null` when it is gone
 */
export function parentOf(pid) {
  if (!hasProc()) return Number(ps('-o', 'ppid=', '-p', String(pid))) || null;
  try {
    return ofStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).parent;
  } catch {
    return null;
  }
}

/**
 * All processes below the given ones, those in groups of their own too.
 * @param {Iterable<number>} pids
 * @returns {number[]} with the given ones
 */
export function descendants(pids) {
  const all = processes();
  const found = new Set(pids);
  // A set that grows during a loop is walked to its new end.
  for (const above of found) for (const { pid, parent } of all) if (parent === above) found.add(pid);
  return [...found];
}

/**
 * @param {...string} args
 * @returns {string} empty when there is no `ps`, or no such process
 */
function ps(...args) {
  try {
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
