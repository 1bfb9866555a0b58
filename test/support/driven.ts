/** Client programs in Java (`scripts/java`), driven by commands. They end with their test file. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { findJava, jvmFlags } from '@/scripts/java.mjs';
import { endGroup, guard, leash, signalGroup } from '@/scripts/leash.mjs';
import { endsWithFile } from './endings';
import { until } from './until';

/** What a command threw in Java. */
export class JavaThrown extends Error {
  /** `thrown`: its class, as `java.lang.IllegalMonitorStateException`. */
  constructor(
    readonly thrown: string,
    message: string,
  ) {
    super(`${thrown}: ${message}`);
  }
}

export type DrivenEvent = { readonly event: string } & Readonly<Record<string, unknown>>;

export interface DrivenProgram {
  /** What the program calls itself: Redisson's client id, or Curator's session. */
  readonly client: string;
  /** What it has said without being asked, the oldest first. */
  readonly events: readonly DrivenEvent[];
  /** Runs one command on a thread of this name, after those that the thread has already; throws `JavaThrown`. */
  ask(thread: string, command: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Interrupts a thread that waits. */
  interrupt(thread: string): Promise<void>;
  /** Waits until it has said this. */
  heard(event: string, timeoutMs?: number): Promise<DrivenEvent>;
  /** Standard error so far: what its libraries logged. */
  errors(): string;
  /** SIGSTOP: it renews nothing, and its connections stay open. */
  pause(): void;
  resume(): void;
  /** SIGKILL; resolves when it is gone. What still waits for an answer is refused. */
  kill9(): Promise<void>;
}

/**
 * The same methods, whose refusals may go unheard: a test may ask for a lock that is never had, and kill the client, which is
 * nobody's error.
 */
export function unheard<T extends object>(methods: T): T {
  const quiet = Object.entries(methods).map(([name, method]) => [
    name,
    typeof method !== 'function'
      ? method
      : (...args: unknown[]) => {
          const answer = method(...args);
          if (answer instanceof Promise) answer.catch(() => {});
          return answer;
        },
  ]);
  return Object.fromEntries(quiet);
}

/** Starts a program, and resolves once it has its connection (0.5 to 10 s). */
export async function startDriven(
  part: 'redisson' | 'curator',
  settings: Readonly<Record<string, unknown>>,
): Promise<DrivenProgram> {
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
  const events: DrivenEvent[] = [];
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line);
    if (said.event !== undefined) {
      events.push(said);
      return;
    }
    const { resolve, reject } = waiting.get(said.id) ?? {};
    waiting.delete(said.id);
    if (said.thrown === undefined) resolve?.(said.value);
    else reject?.(new JavaThrown(said.thrown, said.message));
  });
  const gone = () => new Error(`${program} has ended.\n${errors}`);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      ended = true;
      for (const { reject } of waiting.values()) reject(gone());
      waiting.clear();
      resolve();
    });
  });
  const kill9 = endsWithFile(async () => {
    signalGroup(child.pid, 'SIGKILL');
    await endGroup(child, { graceMs: 0 });
    await exited;
  });
  const send = (command: Readonly<Record<string, unknown>>) =>
    new Promise<unknown>((resolve, reject) => {
      if (ended) return reject(gone());
      asked += 1;
      waiting.set(asked, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ id: asked, ...command })}\n`);
    });
  const heard = (event: string, timeoutMs = 30_000) =>
    until(
      () => {
        if (ended) throw gone();
        return events.find((one) => one.event === event);
      },
      { what: `${program} says "${event}"`, timeoutMs },
    );
  try {
    const ready = await until(() => ended || events.find(({ event }) => event === 'ready'), {
      what: `${program} is connected`,
      timeoutMs: 60_000,
    });
    if (ready === true) throw gone();
    return {
      client: String(ready.client),
      events,
      ask: (thread, command) => send({ thread, ...command }),
      interrupt: async (thread) => void (await send({ op: 'interrupt', thread })),
      heard,
      errors: () => errors,
      pause: () => void signalGroup(child.pid, 'SIGSTOP'),
      resume: () => void signalGroup(child.pid, 'SIGCONT'),
      kill9,
    };
  } catch (error) {
    await kill9();
    throw new Error(`${program} did not start.\n${errors}`, { cause: error });
  }
}
