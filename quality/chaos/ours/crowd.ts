/** Many viewers, all from addresses other than the operator's, in their own process (`crowd.mjs`). */
import { fork } from 'node:child_process';
import { endGroup, leash } from '@/scripts/leash.mjs';
import { inProject } from '@/scripts/project.mjs';

export interface Crowd {
  /**
   * Opens `size` streams, `together` at a time. Returns the number of answers by status. Viewers with a 200 stay and
   * read.
   */
  open(size: number, together?: number): Promise<Readonly<Record<string, number>>>;
  /** Lets each stream read at this rate from now on; 0: not at all. */
  read(bytesPerSecond: number): void;
  /** Drops all viewers at once, without a goodbye. */
  leave(): Promise<void>;
}

/** The process is leashed, so it ends with this one. */
export function startCrowd(baseUrl: string): Crowd {
  const child = leash(
    fork(inProject('quality/chaos/ours/crowd.mjs'), {
      detached: true,
      execArgv: [],
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    }),
  );
  const port = Number(new URL(baseUrl).port);
  return {
    open: (size, together = 30) =>
      new Promise((resolve, reject) => {
        child.once('message', ({ answers }: { answers: Record<string, number> }) => resolve(answers));
        child.once('exit', () => reject(new Error('The crowd is gone.')));
        child.send({ open: { port, size, together } });
      }),
    read: (bytesPerSecond) => void child.send({ bytesPerSecond }),
    leave: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      if (child.connected) child.send({ leave: true });
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      if (child.exitCode === null && child.signalCode === null) await gone;
      clearTimeout(timer);
      await endGroup(child, { graceMs: 0 });
    },
  };
}
