/** Programs of the tests as processes of their own, so that they can be killed like a server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { bundle } from '@/scripts/bundle.mjs';
import { endGroup, leash, signalGroup } from '@/scripts/leash.mjs';
import { inProject } from '@/scripts/project.mjs';

export interface Program {
  /** Standard output so far. */
  output(): string;
  /** Standard error so far. */
  errors(): string;
  /** SIGSTOP: it does nothing more, and its connections stay open. */
  pause(): void;
  resume(): void;
  /** SIGTERM. */
  terminate(): void;
  /** SIGKILL; resolves when it is gone. */
  kill9(): Promise<void>;
  /** Exit code, or `null` when a signal ended it. */
  readonly exited: Promise<number | null>;
}

/** Bundles programs, below the project so that packages with native parts are found; run one by its name. */
export async function programs<N extends string>(entries: Record<N, string>) {
  mkdirSync(inProject('.signalbox'), { recursive: true });
  const outDir = mkdtempSync(inProject('.signalbox', 'test-'));
  const running = new Set<ChildProcess>();
  afterAll(async () => {
    await Promise.all([...running].map((child) => endGroup(child, { graceMs: 0 })));
    rmSync(outDir, { recursive: true, force: true });
  });
  await bundle({ entries, outDir, external: ['libsql', 'pg', 'kysely', 'prom-client', /^@redis\/client/] });
  return (name: N, env: Record<string, string>): Program => {
    const child = leash(
      spawn(process.execPath, [join(outDir, `${name}.mjs`)], {
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
      }),
    );
    running.add(child);
    let output = '';
    let errors = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const exited = new Promise<number | null>((resolve) =>
      child.once('close', (code) => {
        running.delete(child);
        resolve(code);
      }),
    );
    return {
      output: () => output,
      errors: () => errors,
      pause: () => void signalGroup(child.pid, 'SIGSTOP'),
      resume: () => void signalGroup(child.pid, 'SIGCONT'),
      terminate: () => void signalGroup(child.pid, 'SIGTERM'),
      kill9: async () => {
        signalGroup(child.pid, 'SIGKILL');
        await exited;
      },
      exited,
    };
  };
}
