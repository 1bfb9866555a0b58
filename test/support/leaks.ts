/** Setup of every integration test file: ends what the file started through `consul.ts` and `endings.ts`, and fails the file on any other child left. */
import { execFileSync } from 'node:child_process';
import { afterAll } from 'vitest';
import { watchdogPid } from '@/scripts/leash.mjs';
import { stopAll } from '@/test/support/consul';
import { endAll } from '@/test/support/endings';
import { until } from '@/test/support/until';

/** Children of this process but for the watchdog and the `ps` that asks. */
function children(): string[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .flatMap((row) => (row === null ? [] : [row]))
    .filter(([, pid, parent]) => Number(parent) === process.pid && Number(pid) !== watchdogPid())
    .filter(([, , , state, command]) => !state?.startsWith('Z') && !/^ps -A /.test(command ?? ''))
    .map(([, pid, , , command]) => `${pid} ${command}`);
}

afterAll(async () => {
  await endAll();
  await stopAll();
  await until(() => children().length === 0, {
    what: 'every child process of this test file has ended',
    timeoutMs: 15_000,
    everyMs: 100,
  }).catch((error: unknown) => {
    const left = children();
    for (const child of left) process.kill(Number(child.split(' ')[0]), 'SIGKILL');
    throw new Error(`This test file left child processes behind:\n${left.join('\n')}`, { cause: error });
  });
});
