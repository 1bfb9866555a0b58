import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { chooseAddress, urlOf } from '@/scripts/console.mjs';
import { createCrew } from '@/scripts/crew.mjs';
import { claimPorts, isFree, nextFree } from '@/scripts/ports.mjs';
import { commandOf, descendants, ofStat, parentOf, processes } from '@/scripts/processes.mjs';
import { inProject } from '@/scripts/project.mjs';
import { until } from '@/test/support/until';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('children and their children end with a parent that is killed -9', async () => {
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { createCrew } from ${JSON.stringify(inProject('scripts/crew.mjs'))};
       const crew = createCrew();
       // The grandchild leads a group of its own, which the kill of its parent's group does not reach.
       crew.start(process.execPath, ['--eval', \`console.log(require('child_process').spawn('sleep', ['600'], { detached: true }).pid); setInterval(() => {}, 1000)\`]);
       setInterval(() => {}, 1000);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  started.push(parent);
  let text = '';
  parent.stdout.on('data', (part) => {
    text += part;
  });
  const child = Number(
    await until(() => /^\d+\n/.test(text) && text.trim(), { what: 'the child has started' }),
  );
  expect(alive(child)).toBe(true);
  parent.kill('SIGKILL');
  await until(() => !alive(child), { what: 'the child has ended' });
});

test('a crew ends what ignores SIGTERM, and what its members left behind', async () => {
  const crew = createCrew({ graceMs: 200 });
  const deaf = crew.start('sh', ['-c', 'trap "" TERM; while :; do sleep 1; done']);
  const gone = crew.start('sh', ['-c', 'sleep 600 & echo $!'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  gone.stdout?.on('data', (part) => {
    text += part;
  });
  const left = Number(await until(() => text.trim() !== '' && text.trim(), { what: 'the shell has left' }));
  await crew.end();
  expect(alive(deaf.pid ?? 0)).toBe(false);
  await until(() => !alive(left), { what: 'what it left behind has ended' });
});

test('claims never overlap, and a released one is taken again by preference', async () => {
  const claims = await Promise.all(Array.from({ length: 20 }, () => claimPorts(3, { random: () => 0.5 })));
  const ports = claims.flatMap((claim) => claim.ports);
  expect(new Set(ports).size).toBe(60);
  for (const claim of claims) claim.release();
  const [first] = claims;
  const again = await claimPorts(3, { prefer: first?.ports ?? [] });
  expect(again.ports).toEqual(first?.ports);
  again.release();
});

test('a port that was asked for and is taken is an error; without asking the next free one is taken', async () => {
  const block = await claimPorts(2);
  const [port = 0] = block.ports;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await expect(chooseAddress({ PORT: String(port) })).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken`);
  expect(await isFree(port)).toBe(false);
  expect(await nextFree(port, '127.0.0.1')).toBe(port + 1);
  await new Promise((resolve) => server.close(resolve));
  expect(await chooseAddress({ PORT: String(port) })).toEqual({ host: '127.0.0.1', port });
  await expect(chooseAddress({ PORT: '70000' })).rejects.toThrow('PORT must be a number');
  await expect(chooseAddress({ PORT: 'http' })).rejects.toThrow('PORT must be a number');
  block.release();
});

test('a HOST that is not of this machine is said in words, with the next step', async () => {
  for (const HOST of ['no-such-host.invalid', '192.0.2.1'])
    await expect(chooseAddress({ HOST })).rejects.toThrow(
      `HOST names ${HOST}, where this machine cannot listen. Unset HOST, or set HOST=127.0.0.1.`,
    );
});

test('processes are known by parent, group and command', () => {
  const own = processes().find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ parent: process.ppid, zombie: false });
  expect(parentOf(process.pid)).toBe(process.ppid);
  const child = spawn('sleep', ['600'], { detached: true });
  started.push(child);
  expect(descendants([process.pid])).toContain(child.pid);
  expect(processes().find(({ pid }) => pid === child.pid)?.group).toBe(child.pid);
  expect(commandOf(process.pid)).toContain('node');
  expect(commandOf(2 ** 22 + 1)).toBeNull();
  expect(ofStat('7 (a) Z (b c)) Z 3 5 5 0 -1')).toEqual({ pid: 7, parent: 3, group: 5, zombie: true });
});

test('the address that is printed opens in a browser on this machine', () => {
  expect(urlOf({ host: '127.0.0.1', port: 3000 })).toBe('http://127.0.0.1:3000');
  expect(urlOf({ host: '0.0.0.0', port: 80 })).toBe('http://localhost:80');
  expect(urlOf({ host: '::1', port: 3000 })).toBe('http://[::1]:3000');
});
