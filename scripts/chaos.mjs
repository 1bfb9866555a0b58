/**
 * `npm run chaos`: plays every fault once and writes `docs/faults.md`; `--minutes 60` goes on for an hour, `--seed 7`
 * plays a run again, `--only leader-killed,link-cut` some faults, `--list` names them all. Fails when an invariant broke.
 */
import { runProgram } from './program.mjs';
import { root } from './project.mjs';

await runProgram({
  name: 'chaos',
  entry: 'test/chaos/main.ts',
  run: ({ crew, program, env }) =>
    crew.run(process.execPath, ['--expose-gc', program, ...process.argv.slice(2)], { cwd: root, env }),
});
