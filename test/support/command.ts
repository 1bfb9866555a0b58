/** The `signalbox` command as a person runs it: a process of its own, with nothing of our environment that it reads. */
import { type ChildProcess, spawn } from 'node:child_process';
import { withoutConsul } from '@/scripts/agent.mjs';
import { leash } from '@/scripts/leash.mjs';
import { inProject } from '@/scripts/project.mjs';

export interface Command {
  /** The output so far. */
  out(): string;
  err(): string;
  signal(signal: NodeJS.Signals): void;
  /** Exit status; `null` when a signal ended it. */
  readonly exited: Promise<number | null>;
}

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

type Env = Readonly<Record<string, string>>;

export function start(args: readonly string[], env: Env): Command {
  const clean = Object.fromEntries(
    Object.entries(withoutConsul(process.env)).filter(
      ([name]) => !/^(SIGNALBOX_|NO_COLOR|FORCE_COLOR)/.test(name),
    ),
  );
  // Some print forever: none outlives the tests, or its starter.
  const child: ChildProcess = leash(
    spawn(process.execPath, [inProject('packages/cli/signalbox.mjs'), ...args], {
      detached: true,
      env: { ...clean, ...env } as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const text = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text.out += part;
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text.err += part;
  });
  return {
    out: () => text.out,
    err: () => text.err,
    signal: (signal) => void child.kill(signal),
    exited: new Promise((resolve) => child.once('close', (code) => resolve(code))),
  };
}

/** Runs it to its end. */
export async function run(args: readonly string[], env: Env): Promise<Ran> {
  const command = start(args, env);
  const status = await command.exited;
  return { status, out: command.out(), err: command.err() };
}

/** The option with the name that the plan asks for; nothing where it asks for none, or is refused. */
export async function confirmed(args: readonly string[], env: Env): Promise<readonly string[]> {
  const { plan } = JSON.parse((await run([...args, '--json'], env)).out);
  return plan?.confirmName == null ? [] : ['--confirm', plan.confirmName];
}

/** Done by a person who has read the plan. */
export async function decided(args: readonly string[], env: Env): Promise<Ran> {
  return run([...args, '--yes', ...(await confirmed(args, env))], env);
}
