/** The cost of a server's process: processor time and memory. Linux only, as the figures come from `/proc`. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '@/scripts/project.mjs';
import { until } from '@/test/support/until';

export interface Weighed {
  /** Processor time since its start, all threads, in milliseconds. */
  cpuMs(): number;
  /**
   * Memory after a collection of garbage and of idle compiled code. `held`: bytes of its heap and buffers. `resident`:
   * of the whole process.
   */
  memory(): Promise<{ readonly held: number; readonly resident: number }>;
}

export interface Scales {
  /** Additions to the environment of the process, before it starts. */
  readonly env: Readonly<Record<string, string>>;
  /** The process, once it has started. */
  process(): Weighed;
  remove(): void;
}

/** Processor time since its start, all threads, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const ns = tasks.map((task) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread has ended meanwhile.
      return 0;
    }
  });
  return ns.reduce((sum, one) => sum + one, 0) / 1e6;
}

const residentOf = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

/** For one process that is about to start. It may start others before it settles, and the largest counts. */
export function createScales(): Scales {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-weigh-'));
  const largest = () => {
    const pids = readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return residentOf(pid) > 0;
        } catch {
          return false;
        }
      });
    const [pid] = pids.sort((a, b) => residentOf(b) - residentOf(a));
    if (pid === undefined) throw new Error('The process that is to be weighed has not started.');
    return pid;
  };
  return {
    env: {
      SIGNALBOX_BENCH_WEIGH: folder,
      NODE_OPTIONS: `--require ${inProject('quality/bench', 'weigh.cjs')}`,
    },
    process: () => {
      const pid = largest();
      let times = 0;
      return {
        cpuMs: () => cpuMsOf(pid),
        memory: async () => {
          times += 1;
          process.kill(pid, 'SIGUSR2');
          const { heapUsed, external } = await until(
            () => {
              const said = JSON.parse(readFileSync(join(folder, String(pid)), 'utf8'));
              return said.times === times && (said as { heapUsed: number; external: number });
            },
            { what: 'the memory of the process', timeoutMs: 60_000 },
          );
          return { held: heapUsed + external, resident: residentOf(pid) };
        },
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
