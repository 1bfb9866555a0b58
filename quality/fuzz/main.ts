/** `npm run fuzz`, once `scripts/fuzz.mjs` has bundled it: every target in turn, and the page with the results. */
import { parseArgs } from 'node:util';
import { treeNow } from '@/scripts/tree.mjs';
import { stopAll } from '@/test/support/consul';
import { targets } from './all';
import { writePage } from './page';
import { openStage } from './served/stage';
import { assail, brokenText, type Result, type Target, takenShare } from './target';

const { values } = parseArgs({
  options: {
    cases: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    only: { type: 'string' },
    path: { type: 'string' },
    /** Skips targets that need a server, and keeps the page. */
    pure: { type: 'boolean', default: false },
  },
});
const [cases, seed] = [Number(values.cases ?? 1_000_000), Number(values.seed)];
const served = 'requests';
if (!Number.isSafeInteger(cases) || !Number.isSafeInteger(seed)) {
  console.error('npm run fuzz -- [--cases N] [--seed N] [--only name] [--path of-a-case]');
  process.exit(2);
}
const withServer = !values.pure && [undefined, served].includes(values.only);
const stage = withServer ? await openStage() : null;
const all: readonly Target[] = [...targets, ...(stage === null ? [] : [stage.target])];
const chosen = all.filter(({ name }) => values.only === undefined || name === values.only);
if (chosen.length === 0) {
  console.error(
    `There is no ${values.only}. There are: ${[...targets.map(({ name }) => name), served].join(', ')}.`,
  );
  process.exit(2);
}

/** The server takes several cases at once, because most of their time is waiting. */
const lanesOf = (one: Target) => (one === stage?.target && values.path === undefined ? 4 : 1);

async function inLanes(one: Target, own: number): Promise<Result> {
  const { path } = values;
  const lanes = Array.from({ length: lanesOf(one) }, (_, lane) =>
    assail(one, {
      cases: Math.ceil(own / lanesOf(one)),
      seed: seed + lane * 1_000_000,
      ...(path === undefined ? {} : { path }),
    }),
  );
  const results = await Promise.all(lanes);
  const worst = results.reduce((a, b) => (b.slowestMs > a.slowestMs ? b : a));
  return {
    ...worst,
    cases: results.reduce((sum, { cases: n }) => sum + n, 0),
    taken: results.reduce<number | null>((sum, { taken: n }) => (n === null ? sum : (sum ?? 0) + n), null),
    tookMs: Math.max(...results.map(({ tookMs }) => tookMs)),
    broken: results.find(({ broken }) => broken !== null)?.broken ?? null,
  };
}

const shares = chosen.reduce((sum, { share = 1 }) => sum + share, 0);
const takenText = (result: Result) => (takenShare(result) === null ? '' : `, ${takenShare(result)} taken,`);
const results: Result[] = [];
for (const one of chosen) {
  const own = Math.ceil((cases * (one.share ?? 1)) / shares);
  const result = await inLanes(one, values.cases === undefined ? Math.max(own, one.casesMin ?? 0) : own);
  results.push(result);
  const seconds = (result.tookMs / 1000).toFixed(1);
  const wrong = brokenText(result);
  console.log(
    `${wrong === '' ? 'holds ' : 'BROKEN'} ${one.name}: ${result.cases} cases${takenText(result)} in ${seconds} s, the slowest ${result.slowestMs.toFixed(1)} ms`,
  );
  if (result.slowestMs > 250) console.log(`       ${result.slowest}`);
  if (wrong !== '') console.error(`\n${wrong}\n`);
}
let unsound = 0;
await stage?.check().catch((error: unknown) => {
  unsound = 1;
  console.error(`BROKEN after all: ${error instanceof Error ? error.message : error}`);
});
await stage?.stop();
await stopAll();
const broken = results.filter((one) => brokenText(one) !== '').length + unsound;
// The page promises the fewest cases of each.
const whole =
  values.only === undefined &&
  values.path === undefined &&
  chosen.every(
    ({ name, casesMin = 0 }) => (results.find((one) => one.name === name)?.cases ?? 0) >= casesMin,
  );
if (whole && !values.pure && broken === 0) {
  const asked = values.cases === undefined ? '' : `--cases ${values.cases} `;
  writePage(results, all, {
    command: `npm run fuzz -- ${asked}--seed ${seed}`,
    consul: process.env.SIGNALBOX_BENCH_CONSUL ?? 'unknown',
    tree: treeNow({ but: 'docs/fuzzing.md' }) ?? 'not under git',
  });
}
console.log(
  `\n${results.reduce((sum, one) => sum + one.cases, 0)} cases, seed ${seed}, ${broken} guarantees broken`,
);
process.exit(broken === 0 ? 0 : 1);
