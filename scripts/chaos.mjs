/**
 * `npm run chaos`: plays every fault once and writes `docs/faults.md`; `--minutes 60` goes on for an hour, `--seed 7`
 * plays a run again, `--only leader-killed,link-cut` some faults, `--list` names them all. Fails when an invariant broke.
 */
import { withoutConsul } from './agent.mjs';
import { ensureBuild, nextEnv } from './build.mjs';
import { bundle } from './bundle.mjs';
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
  await ensureBuild({ crew, say });
  const outDir = inState('chaos');
  // The scripts find the project from where they are themselves, so they stay there.
  const external = ['libsql', 'pg', 'kysely', /^\/.*\/scripts\/[^/]+\.mjs$/];
  await bundle({ entries: { main: 'test/chaos/main.ts' }, outDir, external });
  const env = { ...nextEnv(withoutConsul(process.env)), CONSUL_BIN: path, SIGNALBOX_BENCH_CONSUL: version };
  return crew.run(process.execPath, ['--expose-gc', `${outDir}/main.mjs`, ...process.argv.slice(2)], {
    cwd: root,
    env,
  });
}

endOnSignals(crew);
process.exitCode = (await main()) ?? 1;
await crew.end();
