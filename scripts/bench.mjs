/**
 * `npm run bench`: measures everything and writes `docs/benchmarks.md`; `npm run bench -- wake bytes` measures some. Each
 * benchmark is a process of its own, one after the other, so that none stands in another's way.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { withoutConsul } from './agent.mjs';
import { ensureBuild, nextEnv } from './build.mjs';
import { bundle } from './bundle.mjs';
import { findChromium } from './chromium.mjs';
import { findConsul } from './consul-binary.mjs';
import { createCrew, endOnSignals } from './crew.mjs';
import { ensurePackages } from './packages.mjs';
import { inState, root } from './project.mjs';

const crew = createCrew();
/** @param {string} text */
const say = (text) => console.log(text);

async function main() {
  await ensurePackages({ crew, say });
  const { path, version } = await findConsul({ say });
  const chromium = await findChromium({ crew, say });
  await ensureBuild({ crew, say });
  const outDir = inState('bench');
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  // The scripts find the project from where they are themselves, so they stay there.
  const external = [
    'libsql',
    'pg',
    'kysely',
    '@playwright/test',
    'playwright-core',
    /^\/.*\/scripts\/[^/]+\.mjs$/,
  ];
  await bundle({ entries: { main: 'bench/main.ts' }, outDir, external });
  const program = `${outDir}/main.mjs`;
  const env = {
    ...nextEnv(withoutConsul(process.env)),
    CONSUL_BIN: path,
    SIGNALBOX_CHROMIUM: chromium,
    SIGNALBOX_BENCH_CONSUL: version,
  };
  const names = execFileSync(process.execPath, [program, '--names'], { encoding: 'utf8', env })
    .split('\n')
    .filter(Boolean);
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${names.join(', ')}.`);
    return 2;
  }
  const files = [];
  const failed = [];
  for (const name of asked.length === 0 ? names : asked) {
    const file = `${outDir}/${name}.json`;
    const code = await crew.run(process.execPath, ['--expose-gc', program, name, file], { cwd: root, env });
    if (code === 0) files.push(file);
    else failed.push(name);
    // Whatever was measured stays, even when a later one fails or the run is ended.
    if (code === 0) execFileSync(process.execPath, [program, '--page', files.join(',')], { cwd: root, env });
  }
  if (failed.length > 0) console.error(`\nNot measured: ${failed.join(', ')} (see above).`);
  else say('\ndocs/benchmarks.md is written.');
  return failed.length === 0 ? 0 : 1;
}

endOnSignals(crew);
process.exitCode = await main();
await crew.end();
