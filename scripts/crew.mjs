/** The processes that a script has started. Each leads its own group, is leashed, and ends with the script. */
import { spawn } from 'node:child_process';
import { endGroup, guard, leash } from './leash.mjs';
import { commandOf, parentOf } from './processes.mjs';

/**
 * @typedef {object} Crew
 * @property {(command: string, args: string[], options?: import('node:child_process').SpawnOptions) =>
 *   import('node:child_process').ChildProcess} start in a process group of its own
 * @property {(command: string, args: string[], options?: import('node:child_process').SpawnOptions) =>
 *   Promise<number | null>} run until it exits; its exit code, `null` when a signal or a failed start ended it
 * @property {(child: import('node:child_process').ChildProcess) => void} adopt one started elsewhere, already leashed
 * @property {(crew: Crew) => void} include another crew, which then ends with this one
 * @property {() => Promise<void>} end ends all of them, the last started first; safe to call again
 * @property {() => boolean} ending
 */

/**
 * @param {{ graceMs?: number }} [options] how long each may take to leave after SIGTERM
 * @returns {Crew}
 */
export function createCrew({ graceMs = 5_000 } = {}) {
  /** @type {import('node:child_process').ChildProcess[]} */
  const members = [];
  /** @type {Set<Crew>} */
  const crews = new Set();
  /** @type {Promise<void> | null} */
  let end = null;

  const adopt = (/** @type {import('node:child_process').ChildProcess} */ child) => void members.push(child);
  /** @type {Crew['start']} */
  const start = (command, args, options = {}) => {
    guard();
    const child = leash(
      spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options, detached: true }),
    );
    adopt(child);
    return child;
  };
  return {
    start,
    adopt,
    include: (crew) => void crews.add(crew),
    run: (command, args, options) =>
      new Promise((resolve) => {
        const child = start(command, args, options);
        child.once('error', () => resolve(null));
        child.once('close', (code) => resolve(code));
      }),
    end: () => {
      end ??= (async () => {
        await Promise.all([...crews].map((crew) => crew.end()));
        // An exited process may have left others in its group, so every group is ended.
        for (const child of members.reverse()) await endGroup(child, { graceMs });
      })();
      return end;
    },
    ending: () => end !== null,
  };
}

/**
 * Ends the crew, then this process, on Ctrl-C, SIGTERM and SIGHUP, and when the npm above dies silently. A second
 * Ctrl-C does not wait.
 * @param {Crew} crew
 * @param {{ said?: () => void }} [options] `said`: called once, when the end begins
 */
export function endOnSignals(crew, { said = () => {} } = {}) {
  let asked = 0;
  const leave = async (/** @type {number} */ code) => {
    asked += 1;
    // The leash kills the rest as soon as this process is gone.
    if (asked > 1) process.exit(code);
    said();
    await crew.end();
    process.exit(code);
  };
  process.on('SIGINT', () => leave(130));
  process.on('SIGTERM', () => leave(143));
  process.on('SIGHUP', () => leave(129));
  const npm = npmAbove();
  if (npm === null) return;
  setInterval(() => {
    try {
      process.kill(npm, 0);
    } catch {
      if (asked === 0) leave(129);
    }
  }, 1_000).unref();
}

/**
 * The npm that runs this script, if any. The shell between them outlives npm.
 * @returns {number | null} process id
 */
function npmAbove() {
  if (process.env.npm_lifecycle_event === undefined) return null;
  let pid = process.ppid;
  for (let depth = 0; depth < 3 && pid > 1; depth += 1) {
    // npm shows as `npm start` or as `node …/npm-cli.js start`; the shell as `sh -c node scripts/…`.
    if (/^npm\b|\bnpm(-cli\.js)?\b(?!.*scripts\/)/.test(commandOf(pid) ?? '')) return pid;
    pid = parentOf(pid) ?? 0;
  }
  return null;
}
