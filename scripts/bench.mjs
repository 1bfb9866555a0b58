/**
 * `npm run bench`: measures everything and writes `docs/benchmarks.md`; `npm run bench -- wake bytes` measures some. Each
 * benchmark is a process of its own, one after the other, so that none stands in another's way.
 */
import { execFileSync } from 'node:child_process';
import { findChromium } from './chromium.mjs';
import { runProgram } from './program.mjs';
import { root } from './project.mjs';

/** @param {import('./program.mjs').Ready} ready */
async function measure({ crew, say, folder, program, env: common }) {
  const env = { ...common, SIGNALBOX_CHROMIUM: await findChromium({ crew, say }) };
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
    const file = `${folder}/${name}.json`;
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

await runProgram({ name: 'bench', entry: 'bench/main.ts', run: measure });
