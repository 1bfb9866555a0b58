/**
 * Global setup of the integration tests: marks every process below this run with an environment variable, and
 * fails the run when one of them is still there at its end, however many parents it has lost (Linux only).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { until } from '@/test/support/until';

function orphans(mark: string): string[] {
  const found: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const env = readFileSync(`/proc/${pid}/environ`, 'latin1');
      if (!env.split('\0').includes(`SIGNALBOX_TEST_RUN=${mark}`)) continue;
      const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
      // Direct children are the test runner's own workers, which are still being ended.
      if (parent === process.pid || Number(pid) === process.pid) continue;
      found.push(`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')}`);
    } catch {
      // The process ended while we looked, or is not ours to read.
    }
  }
  return found;
}

export default function setup(): () => Promise<void> {
  const mark = `${process.pid}-${Date.now()}`;
  process.env.SIGNALBOX_TEST_RUN = mark;
  return async () => {
    if (process.platform !== 'linux') return;
    await until(() => orphans(mark).length === 0, {
      what: 'no orphans',
      timeoutMs: 15_000,
      everyMs: 100,
    }).catch(() => {
      const left = orphans(mark);
      for (const orphan of left) process.kill(Number(orphan.split(' ')[0]), 'SIGKILL');
      // Vitest only prints an error thrown here.
      process.exitCode = 1;
      throw new Error(`The tests left processes behind:\n${left.join('\n')}`);
    });
  };
}
