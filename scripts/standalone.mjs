/**
 * `node scripts/standalone.mjs`: builds the app as a folder, `.next/standalone`, which runs by `node server.js` on
 * plain Node. Next picks the package files that it loads, but does not know our server, so this adds its needs. It then
 * starts the folder once, and fails when anything is missing.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextCommand, nextEnv } from './build.mjs';
import { whenAnswering } from './console.mjs';
import { createCrew, endOnSignals } from './crew.mjs';
import { nextFree } from './ports.mjs';
import { inProject, root } from './project.mjs';

const folder = inProject('.next', 'standalone');

const added = [
  // Replaces Next's own.
  'server.js',
  'next.config.js',
  '.next/static',
  'public',
  // Next looks for it when it reads its configuration from that file.
  'node_modules/next/dist/compiled/webpack',
  'node_modules/next/dist/compiled/@babel/runtime',
];
/** A scaler for pictures, of which there are none, and the store for less usual C libraries. */
const unused = ['@img', 'sharp', '@libsql/linux-x64-musl', '@libsql/linux-arm64-musl'];

function assemble() {
  for (const path of added) cpSync(inProject(path), join(folder, path), { recursive: true });
  for (const name of unused) rmSync(join(folder, 'node_modules', name), { recursive: true, force: true });
}

/**
 * Runs in a copy elsewhere, because in its place a missing file would be found in the project.
 * @param {import('./crew.mjs').Crew} crew
 */
async function tryOnce(crew) {
  const host = '127.0.0.1';
  const port = await nextFree(3000, host);
  const place = mkdtempSync(join(tmpdir(), 'signalbox-standalone-'));
  process.once('exit', () => rmSync(place, { recursive: true }));
  cpSync(folder, place, { recursive: true, verbatimSymlinks: true });
  const data = join(place, 'data');
  const env = nextEnv({ ...process.env, HOSTNAME: host, PORT: String(port), SIGNALBOX_DATA: data });
  const server = crew.start(process.execPath, ['server.js'], { cwd: place, env });
  await whenAnswering({ url: `http://${host}:${port}/healthz`, server, timeoutMs: 30_000 });
  await crew.end();
}

const crew = createCrew();
endOnSignals(crew);
const env = nextEnv({ ...process.env, SIGNALBOX_BUILD: 'standalone' });
const code = await crew.run(process.execPath, [nextCommand(), 'build'], { cwd: root, env });
if (code !== 0) throw new Error('The build failed (see above).');
assemble();
await tryOnce(crew);
console.log(`Built ${folder}: \`node server.js\` runs it.`);
