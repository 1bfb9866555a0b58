/**
 * `npm run chaos`: plays every fault once and writes `docs/faults.md`. `--minutes 60` runs for an hour, `--seed 7`
 * repeats a run, `--only leader-killed,link-cut` plays some faults, `--list` names them all. Fails when an invariant
 * broke, and when the server did not stay flat. `-- history` compares the history with an independent recorder, in the
 * halves `--only storm` and `--only faults`; `--again` judges their last run again. `-- redis --minutes 5` and
 * `-- zookeeper` are storms on those servers: real clients and actions at random, while clients and leaders are killed.
 * `SIGNALBOX_CONSUL_FROM` names an older Consul to upgrade from, `SIGNALBOX_FAKETIME` a libfaketime outside Debian's
 * place.
 */
import { findChromium } from './chromium.mjs';
import { runProgram } from './program.mjs';
import { root } from './project.mjs';

/** A word names a backend, whose storm needs no build of the console. */
const isStorm = /^[^-]/.test(process.argv[2] ?? '');

await runProgram({
  name: 'chaos',
  build: !isStorm,
  entry: 'quality/chaos/main.ts',
  run: async ({ crew, say, program, env }) => {
    // Without a browser only the plain clients watch, and the run reports this.
    const SIGNALBOX_CHROMIUM = isStorm ? undefined : await findChromium({ crew, say }).catch(() => undefined);
    return crew.run(process.execPath, ['--expose-gc', program, ...process.argv.slice(2)], {
      cwd: root,
      env: { ...env, ...(SIGNALBOX_CHROMIUM === undefined ? {} : { SIGNALBOX_CHROMIUM }) },
    });
  },
});
