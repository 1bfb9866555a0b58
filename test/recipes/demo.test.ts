import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readCoordination } from '@/lib/providers/consul/rows/coordination';
import { bundleDemo } from '@/scripts/bundle.mjs';
import { keys, props } from '@/scripts/demo/world';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const outDir = mkdtempSync(join(tmpdir(), 'signalbox-demo-'));
const started = new Set<ChildProcess>();
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await consul.stop();
  rmSync(outDir, { recursive: true, force: true });
});

/** The demo with the workers that are its own, by the folder that it runs from. */
function startDemo(): { child: ChildProcess; exited: Promise<number | null> } {
  const child = spawn(process.execPath, [join(outDir, 'demo.mjs')], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, ...consul.env },
  });
  started.add(child);
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  return { child, exited };
}
const workers = () =>
  execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(join(outDir, 'worker.mjs')));
const holders = async (prefix: string) =>
  readCoordination((await client.get(`${prefix}/.lock`)).value?.value ?? Buffer.alloc(0)).holders ?? [];
const names = async () => (await client.sessions()).value.map((session) => session.name);
const full = async () =>
  (await holders(keys.gate)).length === 3 &&
  (await client.list(`${keys.gate}/`)).value.length > 10 &&
  (await holders(keys.bank)).length > 0 &&
  (await holders(keys.report)).length === 2 &&
  (await client.get(keys.leader)).value?.session != null &&
  (await client.get(`${keys.terraform}/.lockinfo`)).value !== null &&
  (await client.get(`${keys.postgres}/leader`)).value?.session != null;

test('the demo world contends, dies with its starter, comes back, and leaves nothing held', async () => {
  await bundleDemo(outDir);
  const first = startDemo();
  await until(full, { what: 'everybody is on stage', timeoutMs: 150_000, everyMs: 200 });
  first.child.kill('SIGKILL');
  await first.exited;
  await until(() => workers().length === 0, { what: 'the workers of a killed demo end', everyMs: 200 });
  const kept = await holders(keys.report);

  const second = startDemo();
  await until(full, { what: 'everybody is back', timeoutMs: 150_000, everyMs: 200 });
  expect(await holders(keys.report), 'holders without TTL are adopted').toEqual(kept);
  second.child.stdin?.end();
  expect(await second.exited).toBe(0);
  expect(workers()).toEqual([]);
  expect((await names()).filter((name) => Object.values<string>(props).includes(name))).toEqual([]);
  await until(async () => (await names()).length === 0, { what: 'no session is left', timeoutMs: 60_000 });
  expect(await holders(keys.gate)).toEqual([]);
}, 480_000);
