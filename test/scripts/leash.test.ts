/** The watchdog kills what is left of this process, and nothing that came after it. */
import { spawn } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { guard, leash, signalGroup } from '@/scripts/leash.mjs';
import { until } from '@/test/support/until';

test('a group that its leader has left is guarded until it is empty, and then no more', async () => {
  const watchdog = guard();
  if (watchdog.stdin === null) throw new Error('the watchdog has no input');
  const written = vi.spyOn(watchdog.stdin, 'write');
  const said = () => written.mock.calls.map(([text]) => text);
  const leader = leash(spawn('sh', ['-c', 'sleep 60 &'], { detached: true, stdio: 'ignore' }));
  await until(() => leader.exitCode !== null, { what: 'the leader to end' });
  expect(said()).toEqual([`+${leader.pid}\n`]);
  signalGroup(leader.pid, 'SIGKILL');
  await until(() => said().includes(`-${leader.pid}\n`), { what: 'the group to be let go' });
  written.mockRestore();
});
