/** The first command of the README, from nothing to a moving board, to its end, and back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { paths } from '@/lib/client/paths';
import { cacheFolder, findConsul } from '@/scripts/consul-binary.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { noRedis } from '@/test/support/redis';
import { noRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { noZooKeeper } from '@/test/support/zookeeper';

/** What `--demo` shows beside Consul is shown where all of it is here. */
const noneBeside = (await noRedis()) ?? (await noRedisson()) ?? (await noZooKeeper());

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Runs the start script as a terminal does: in a process group of its own, which Ctrl-C reaches as a whole. */
function start(env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, ['scripts/start.mjs', ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    text: () => text,
    exited,
    ctrlC: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
      await exited;
    },
  };
}

test('npm start shows a moving demo world, of three backends where they are here, ends with all that it started, and finds its data again', async ({
  page,
}) => {
  test.setTimeout(180_000);
  test.skip(await accepts(8500), 'An agent answers on 127.0.0.1:8500, so none would be embedded.');
  const state = mkdtempSync(join(tmpdir(), 'signalbox-state-'));
  const block = await claimPorts(1);
  const [port = 0] = block.ports;
  const env: NodeJS.ProcessEnv = { ...process.env, CONSUL_BIN: (await findConsul()).path };
  for (const name of Object.keys(env))
    if (/^CONSUL_(?!BIN$)|^SIGNALBOX_(?!CACHE$)/.test(name)) delete env[name];
  Object.assign(env, { SIGNALBOX_STATE: state, HOST: '127.0.0.1', PORT: String(port) });
  env.SIGNALBOX_CACHE = cacheFolder(process.env);

  let running = start(env, '--demo');
  const up = () =>
    until(() => running.text().includes('Ctrl-C ends it.'), {
      what: 'the last line that says what runs where',
      timeoutMs: 40_000,
    });
  const consulPort = () => Number(/127\.0\.0\.1:(\d+) \(embedded\)/.exec(running.text())?.[1]);
  try {
    await up();
    await page.goto(`http://127.0.0.1:${port}/`);
    await expect(page.getByText('Demo: Signalbox runs these processes')).toBeVisible();
    const row = page.getByRole('row').filter({ hasText: 'semaphore/mg-init' });
    await expect(row).toContainText('3/3', { timeout: 20_000 });
    const before = await row.innerText();
    await expect.poll(() => row.innerText(), { timeout: 20_000 }).not.toBe(before);
    if (noneBeside === null) {
      expect(running.text()).toContain('Beside it   Redis with Redisson, ZooKeeper with Curator');
      for (const href of [
        paths.lock('shop:stock-count', 'redis'),
        paths.semaphore('shop:printers', 'redis'),
        paths.lock('/shop/locks/migrate', 'zookeeper'),
        paths.semaphore('/shop/pools/build', 'zookeeper'),
      ])
        await expect(page.locator('tr', { has: page.locator(`a[href="${href}"]`) })).toBeVisible({
          timeout: 60_000,
        });
    }

    const first = consulPort();
    await fetch(`http://127.0.0.1:${first}/v1/kv/kept`, { method: 'PUT', body: 'over a restart' });
    await running.ctrlC();
    for (const gone of [port, first])
      await until(async () => !(await accepts(gone)), { what: `nothing to listen on ${gone}` });

    running = start(env);
    await up();
    const kept = await fetch(`http://127.0.0.1:${consulPort()}/v1/kv/kept?raw`);
    expect(await kept.text()).toBe('over a restart');
  } finally {
    await running.ctrlC();
    block.release();
    rmSync(state, { recursive: true, force: true });
  }
});

test('a wrong variable ends npm start with a sentence that names it, and with a status', async () => {
  const state = mkdtempSync(join(tmpdir(), 'signalbox-state-'));
  const block = await claimPorts(1);
  const [port = 0] = block.ports;
  const running = start({
    ...process.env,
    CONSUL_HTTP_ADDR: '127.0.0.1:1',
    SIGNALBOX_STATE: state,
    SIGNALBOX_MODE: 'readonly',
    HOST: '127.0.0.1',
    PORT: String(port),
  });
  try {
    expect(await running.exited).toBe(1);
    expect(running.text()).toContain('Signalbox cannot start: SIGNALBOX_MODE has a value');
  } finally {
    await running.ctrlC();
    block.release();
    rmSync(state, { recursive: true, force: true });
  }
});
