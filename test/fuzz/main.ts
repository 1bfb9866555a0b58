/** `npm run fuzz`, once `scripts/fuzz.mjs` has bundled it: every target in turn, and the section of the page with what came of it. */
import { parseArgs } from 'node:util';
import { targets } from './all';
import { writePage } from './page';
import { assail, brokenText, type Result } from './target';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    only: { type: 'string' },
    path: { type: 'string' },
  },
});
const [cases, seed] = [Number(values.cases), Number(values.seed)];
const chosen = targets.filter(({ name }) => values.only === undefined || name === values.only);
if (chosen.length === 0 || !Number.isSafeInteger(cases) || !Number.isSafeInteger(seed)) {
  console.error(
    `npm run fuzz -- [--cases N] [--seed N] [--only ${targets.map(({ name }) => name).join('|')}]`,
  );
  process.exit(2);
}

const shares = chosen.reduce((sum, { share = 1 }) => sum + share, 0);
const results: Result[] = [];
for (const one of chosen) {
  const own = Math.ceil((cases * (one.share ?? 1)) / shares);
  const { path } = values;
  const result = await assail(one, { cases: own, seed, ...(path === undefined ? {} : { path }) });
  results.push(result);
  const seconds = (result.tookMs / 1000).toFixed(1);
  console.log(
    `${result.broken === null ? 'holds ' : 'BROKEN'} ${one.name}: ${result.cases} cases in ${seconds} s, the slowest ${result.slowestMs.toFixed(1)} ms`,
  );
  if (result.broken !== null) console.error(`\n${brokenText(result)}\n`);
}
const broken = results.filter((one) => one.broken !== null).length;
const whole = values.only === undefined && values.path === undefined;
if (whole && broken === 0) writePage(results, targets, seed);
console.log(
  `\n${results.reduce((sum, one) => sum + one.cases, 0)} cases, seed ${seed}, ${broken} of ${results.length} guarantees broken`,
);
process.exit(broken === 0 ? 0 : 1);
