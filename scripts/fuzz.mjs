/**
 * `npm run fuzz`: asks a million cases of bad input, and `npm run fuzz -- --cases 50000 --only values --seed 7` some. What
 * needs a server is asked of the production build on a real Consul; `--pure` leaves that out.
 */
import { mkdirSync, rmSync } from 'node:fs';
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
  const { path } = await findConsul({ say });
  if (!process.argv.includes('--pure')) await ensureBuild({ crew, say });
  const outDir = inState('fuzz');
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
  await bundle({ entries: { main: 'test/fuzz/main.ts' }, outDir, external });
  const env = { ...nextEnv(withoutConsul(process.env)), CONSUL_BIN: path };
  return crew.run(process.execPath, [`${outDir}/main.mjs`, ...process.argv.slice(2)], { cwd: root, env });
}

endOnSignals(crew);
process.exitCode = (await main()) ?? 1;
await crew.end();
