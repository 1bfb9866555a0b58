/**
 * `npm run bench`: measures everything in one run on one tree, and writes `docs/benchmarks.md`.
 * `npm run bench -- wake bytes` measures some and prints them. It writes nothing, because a page of several runs would
 * mix trees and loads. `-- hour --minutes 60` sets the length of `hour`, three minutes by default. Each benchmark is its
 * own process, one after the other, so that they do not disturb each other.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { findChromium } from './chromium.mjs';
import { runProgram } from './program.mjs';
import { root } from './project.mjs';
import { treeNow } from './tree.mjs';

const page = 'docs/benchmarks.md';

/** @param {import('./program.mjs').Ready} ready */
async function measure({ crew, say, consul, folder, program, env: common }) {
  const env = /** @type {NodeJS.ProcessEnv} */ ({
    ...common,
    SIGNALBOX_CHROMIUM: await findChromium({ crew, say }),
  });
  const names = execFileSync(process.execPath, [program, '--names'], { encoding: 'utf8', env })
    .split('\n')
    .filter(Boolean);
  const { values, positionals: asked } = parseArgs({
    options: { minutes: { type: 'string' } },
    allowPositionals: true,
  });
  if (values.minutes !== undefined) env.SIGNALBOX_BENCH_MINUTES = values.minutes;
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${names.join(', ')}.`);
    return 2;
  }
  const tree = treeNow({ but: page });
  const startedAt = new Date().toISOString();
  const loadBefore = loadavg();
  const failed = [];
  for (const name of asked.length === 0 ? names : asked) {
    // Leftovers of another run do not belong to this one.
    rmSync(`${folder}/${name}.json`, { force: true });
    const args = ['--expose-gc', program, name, folder];
    if ((await crew.run(process.execPath, args, { cwd: root, env })) !== 0) failed.push(name);
  }
  const treeAfter = treeNow({ but: page });
  if (failed.length > 0) console.error(`\nNot measured: ${failed.join(', ')} (see above).`);
  if (asked.length > 0) say(`\n${page} is left alone: only a whole run writes it.`);
  else if (tree !== treeAfter) {
    console.error(`\n${page} is left alone: the tree was ${tree} before the run and is ${treeAfter} now.`);
    return 1;
  } else {
    const [cpu] = cpus();
    const run = {
      tree,
      consul: `${consul.version}, ${consul.source}`,
      node: process.versions.node,
      cpu: cpu?.model.trim(),
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      startedAt,
      endedAt: new Date().toISOString(),
      loadBefore,
      loadAfter: loadavg(),
    };
    writeFileSync(`${folder}/run.json`, JSON.stringify(run));
    execFileSync(process.execPath, [program, '--page', folder], { env });
    say(`\n${page} is written.`);
  }
  return failed.length === 0 ? 0 : 1;
}

await runProgram({ name: 'bench', entry: 'quality/bench/main.ts', run: measure });
