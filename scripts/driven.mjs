/** Client programs in Java (`scripts/java`), driven by commands. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { findJava, jvmFlags } from './java.mjs';
import { endGroup, guard, leash, signalGroup } from './leash.mjs';

/** An exception of a command in Java. */
export class JavaThrown extends Error {
  /**
   * @param {string} thrown its class, as `java.lang.IllegalMonitorStateException`
   * @param {string} message
   */
  constructor(thrown, message) {
    super(`${thrown}: ${message}`);
    this.thrown = thrown;
  }
}

/** @typedef {{ readonly event: string } & Readonly<Record<string, unknown>>} DrivenEvent */

/**
 * @typedef {object} DrivenProgram
 * @property {string} client what the program calls itself: Redisson's client id, or Curator's session
 * @property {readonly DrivenEvent[]} events what it has said without being asked, the oldest first
 * @property {(thread: string, command: Readonly<Record<string, unknown>>) => Promise<unknown>} ask runs one command on a thread of
 *   this name, after those that the thread has already; throws `JavaThrown`
 * @property {(thread: string) => Promise<void>} interrupt interrupts a thread that waits
 * @property {() => string} errors standard error so far: what its libraries logged
 * @property {() => boolean} ended
 * @property {() => void} pause SIGSTOP: it renews nothing, and its connections stay open
 * @property {() => void} resume
 * @property {() => Promise<void>} kill9 SIGKILL; resolves when it is gone. What still waits for an answer is refused
 */

/** Longest wait for a program's connection. */
const readyMsMax = 60_000;

/**
 * Starts a program, and resolves once it has its connection (0.5 to 10 s).
 * @param {import('./java.mjs').Part} part
 * @param {Readonly<Record<string, unknown>>} settings
 * @returns {Promise<DrivenProgram>}
 */
export async function startDriven(part, settings) {
  const { java, classpath } = await findJava(part);
  const program = part === 'redisson' ? 'DrivenRedisson' : 'DrivenCurator';
  guard();
  const child = leash(
    spawn(java, [...jvmFlags, '-cp', classpath, program, JSON.stringify(settings)], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );
  let errors = '';
  let asked = 0;
  /** @type {DrivenEvent[]} */
  const events = [];
  /** @type {Map<number, { resolve: (value: unknown) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  child.stdin.on('error', () => {});
  let ended = false;
  const gone = () => new Error(`${program} has ended.\n${errors}`);
  /** @type {Promise<void>} */
  const exited = new Promise((resolve) => {
    child.once('close', () => {
      ended = true;
      for (const { reject } of waiting.values()) reject(gone());
      waiting.clear();
      resolve();
    });
  });
  /** @type {Promise<DrivenEvent>} */
  const ready = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line);
      if (said.event !== undefined) {
        events.push(said);
        if (said.event === 'ready') resolve(said);
        return;
      }
      const { resolve: answer, reject } = waiting.get(said.id) ?? {};
      waiting.delete(said.id);
      if (said.thrown === undefined) answer?.(said.value);
      else reject?.(new JavaThrown(said.thrown, said.message));
    });
  });
  const send = (/** @type {Readonly<Record<string, unknown>>} */ command) =>
    new Promise((resolve, reject) => {
      if (ended) return reject(gone());
      asked += 1;
      waiting.set(asked, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ id: asked, ...command })}\n`);
    });
  const kill9 = async () => {
    signalGroup(child.pid, 'SIGKILL');
    await endGroup(child, { graceMs: 0 });
    await exited;
  };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(null), readyMsMax);
  });
  const first = await Promise.race([ready, exited, late]);
  clearTimeout(timer);
  if (first == null) {
    await kill9();
    throw new Error(`${program} did not start.\n${errors}`);
  }
  return {
    client: String(/** @type {DrivenEvent} */ (first).client),
    events,
    ask: (thread, command) => send({ thread, ...command }),
    interrupt: async (thread) => void (await send({ op: 'interrupt', thread })),
    errors: () => errors,
    ended: () => ended,
    pause: () => void signalGroup(child.pid, 'SIGSTOP'),
    resume: () => void signalGroup(child.pid, 'SIGCONT'),
    kill9,
  };
}
