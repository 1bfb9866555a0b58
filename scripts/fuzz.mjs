/**
 * `npm run fuzz` tries a million cases of bad input, and `npm run fuzz -- --cases 50000 --only values --seed 7` some.
 * Cases for a server use the production build on a real Consul. `--pure` skips them.
 */
import { runProgram } from './program.mjs';
import { root } from './project.mjs';

await runProgram({
  name: 'fuzz',
  entry: 'quality/fuzz/main.ts',
  build: !process.argv.includes('--pure'),
  run: ({ crew, program, env }) =>
    crew.run(process.execPath, [program, ...process.argv.slice(2)], { cwd: root, env }),
});
