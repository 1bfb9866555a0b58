/** `@signalbox/locks` as a stranger has it: the tarball, in a folder of its own, with TypeScript's own settings. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Lock } from '@/packages/locks/src/lock';
import { inProject, root } from '@/scripts/project.mjs';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const run = promisify(execFile);
const consul = await startConsul();
const client = consul.client();
const dir = mkdtempSync(join(tmpdir(), 'signalbox-packed-'));
const started = new Set<ChildProcess>();
const tsc = inProject('node_modules/typescript/bin/tsc');

const program = `
import { connect, type Hold, lostReason } from '@signalbox/locks';

const consul = connect();
const lock = consul.lock({ key: 'stranger/leader', value: 'me' });
const hold: Hold = await lock.acquire({ timeoutMs: 30_000 });
hold.lost.addEventListener('abort', () => console.log(lostReason(hold.lost)));
console.log('held', await lock.isLocked(), typeof hold.fencingToken);
await consul.lock({ key: 'stranger/gate' }).run(async () => console.log('in'));
await hold.release();
console.log('released', await lock.isLocked());
await consul.close();
`;

/** Copies a package and all that it needs, as an install would, without the network. */
function install(name: string): void {
  const from = inProject('node_modules', name);
  cpSync(from, join(dir, 'node_modules', name), { recursive: true });
  const { dependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  Object.keys(dependencies).forEach(install);
}

beforeAll(async () => {
  const tarballs = ['pack', '--silent', '--pack-destination', dir];
  const { stdout } = await run('npm', tarballs, { cwd: inProject('packages/locks') });
  const own = join(dir, 'node_modules/@signalbox/locks');
  mkdirSync(own, { recursive: true });
  await run('tar', ['-xzf', join(dir, stdout.trim()), '-C', own, '--strip-components=1']);
  const { dependencies } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  Object.keys(dependencies).forEach(install);
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  writeFileSync(join(dir, 'program.ts'), program);
}, 120_000);
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

/** Compiles the program with every declaration checked. Throws with what the compiler says. */
async function compile(): Promise<void> {
  await run(process.execPath, [tsc, '--skipLibCheck', 'false'], { cwd: dir }).catch((error) => {
    throw new Error(error.stdout);
  });
}

test('a program with the settings of `tsc --init` compiles, holds a lock, waits for another and leaves nothing', async () => {
  await run(process.execPath, [tsc, '--init'], { cwd: dir });
  await compile();
  const gate = await new Lock(client, { key: 'stranger/gate' }).acquire();
  const running = run(process.execPath, [join(dir, 'program.js')], {
    cwd: dir,
    env: { ...process.env, ...consul.env },
  });
  const held = async () => (await client.get('stranger/leader')).value;
  await until(async () => (await held())?.session != null, { what: 'the program holds its lock' });
  expect((await held())?.value.toString()).toBe('me');
  await gate.release();
  const { stdout, stderr } = await running;
  expect(stdout).toBe('held true bigint\nin\nreleased false\n');
  expect(stderr).toBe('');
  expect((await held())?.session).toBeNull();
  await until(async () => (await client.sessions()).value.length === 0, { what: 'no session is left' });
});

test('a program whose settings know no language feature after 2022 compiles', async () => {
  const options = { target: 'es2022', lib: ['es2022', 'dom'], module: 'nodenext', strict: true, types: [] };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  await compile();
});

test('the example: one process leads, and the next one takes over when it ends', async () => {
  install('@types/node');
  for (const file of ['reindex.ts', 'tsconfig.json'])
    cpSync(inProject('packages/locks/example', file), join(dir, file));
  await compile();
  const start = () => {
    const child = spawn(process.execPath, [join(dir, 'reindex.js')], {
      cwd: dir,
      env: { ...process.env, ...consul.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.add(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const exited = new Promise((resolve) => child.once('close', resolve));
    return {
      child,
      exited,
      works: () => /leading\nreindexed with token \d+\n/.test(output),
      output: () => output,
    };
  };
  const first = start();
  await until(first.works, { what: 'the first one leads' });
  const second = start();
  await until(async () => (await client.sessions()).value.length > 1, { what: 'the second one waits' });
  expect(second.output()).toBe('');
  first.child.kill('SIGTERM');
  expect(await first.exited).toBe(0);
  await until(second.works, { what: 'the second one leads' });
  second.child.kill('SIGTERM');
  expect(await second.exited).toBe(0);
  await until(async () => (await client.sessions()).value.length === 0, { what: 'no session is left' });
});

test('the package is the build and its papers, and needs no file of ours from outside', () => {
  const own = join(dir, 'node_modules/@signalbox/locks');
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  const text = readFileSync(join(own, 'dist/index.js'), 'utf8');
  const imported = [...text.matchAll(/^import .*from "([^"]+)"/gm)].map(([, from = '']) => from);
  expect(imported.filter((from) => !from.startsWith('node:')).sort()).toEqual(
    Object.keys(manifest.dependencies).sort(),
  );
  expect(text).not.toContain(root);
  for (const paper of ['README.md', 'API.md', 'LICENSE']) readFileSync(join(own, paper));
});
