/**
 * Ends child processes with us, even when we are killed -9 and cannot clean up.
 *
 * One watchdog process reads the process groups to guard from its standard input. When that pipe ends before "done",
 * its writer is dead, and the watchdog kills every listed group. It runs in a session of its own, so that neither
 * Ctrl-C nor a kill of our group reaches it first.
 */
import { spawn } from 'node:child_process';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { descendants, processes } from './processes.mjs';

/** Time between two looks at a group whose leader has ended. */
const emptyMs = 500;

/** @type {import('node:child_process').ChildProcess | null} */
let watchdog = null;

/**
 * Starts the watchdog, unless it runs. Call it before a child is spawned: a process killed before its first watchdog
 * runs, which takes a while on a busy machine, would leave the child behind.
 * @returns {import('node:child_process').ChildProcess}
 */
export function guard() {
  if (watchdog !== null && watchdog.exitCode === null && watchdog.signalCode === null) return watchdog;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { NODE_ENV: 'production', PATH: process.env.PATH },
  });
  child.unref();
  // Without a watchdog, ordinary clean-up still works.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  /** @type {import('node:net').Socket | null} */ (child.stdin)?.unref();
  watchdog = child;
  return child;
}

/** The watchdog's process id, for a check of leftovers; `null` before the first leash. */
export function watchdogPid() {
  return watchdog?.pid ?? null;
}

/**
 * Sends a signal to a whole process group.
 * @param {number | undefined} pid the group's leader
 * @param {NodeJS.Signals | 0} signal
 * @returns {boolean} false when the group is gone
 */
export function signalGroup(pid, signal) {
  if (pid === undefined) return false;
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Guards a child that leads its own process group (`spawn` with `detached: true`) until it exits.
 * @template {import('node:child_process').ChildProcess} C
 * @param {C} child
 * @returns {C} the same child
 */
export function leash(child) {
  const { pid } = child;
  if (pid === undefined) return child;
  guard().stdin?.write(`+${pid}\n`);
  child.once('exit', () => {
    const release = () => {
      if (signalGroup(pid, 0)) return;
      clearInterval(timer);
      watchdog?.stdin?.write(`-${pid}\n`);
    };
    // The leader may leave children in its group, which is guarded until it is empty. Another process soon has the
    // number of an empty group, and the watchdog would kill it in the end.
    const timer = setInterval(release, emptyMs);
    timer.unref();
    release();
  });
  return child;
}

/**
 * True when everything in a group has ended and only waits to be reaped. Orphans wait for process 1, which in
 * containers may be slow or never come.
 * @param {number} group
 */
function onlyZombies(group) {
  const all = processes();
  return all.length > 0 && all.every((one) => one.group !== group || one.zombie);
}

/**
 * Ends a child and its whole process group: SIGTERM first, SIGKILL when it is still there after `graceMs`.
 * @param {import('node:child_process').ChildProcess} child leads its own process group
 * @param {{ graceMs?: number }} [options]
 * @returns {Promise<void>} when the group is gone
 */
export async function endGroup(child, { graceMs = 5_000 } = {}) {
  const gone = async (/** @type {number} */ ms) => {
    const until = Date.now() + ms;
    for (let round = 1; signalGroup(child.pid, 0); round += 1) {
      if (round % 10 === 0 && onlyZombies(child.pid ?? 0)) return true;
      if (Date.now() > until) return false;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return true;
  };
  // A stopped process takes SIGTERM only once it runs again.
  signalGroup(child.pid, 'SIGTERM');
  signalGroup(child.pid, 'SIGCONT');
  if (!(await gone(graceMs))) {
    const below = child.pid === undefined ? [] : descendants([child.pid]);
    signalGroup(child.pid, 'SIGKILL');
    for (const pid of below) signalOne(pid, 'SIGKILL');
  }
  await gone(5_000);
  if (child.pid !== undefined) watchdog?.stdin?.write(`-${child.pid}\n`);
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function signalOne(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

/** The watchdog itself. */
function watch() {
  const groups = new Set();
  let rest = '';
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => {});
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const pid = Number(line.slice(1));
      if (line.startsWith('+')) groups.add(pid);
      else groups.delete(pid);
    }
  });
  process.stdin.on('end', () => {
    // Listed before the kill, because the parents of the others are unknown afterwards.
    const below = descendants(groups);
    for (const pid of groups) signalGroup(pid, 'SIGKILL');
    for (const pid of below) signalOne(pid, 'SIGKILL');
    process.exit(0);
  });
}

if (argv[1] === fileURLToPath(import.meta.url)) watch();
