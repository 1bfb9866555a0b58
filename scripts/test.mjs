/**
 * `npm test` installs the tests' needs and runs every tier; `npm test check`, `int` or `e2e` runs one. The last lines
 * sum up everything that ran (`run-report.mjs`). Plain Node, because it runs before there are packages.
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { withoutConsul } from './agent.mjs';
import { buildIsCurrent, ensureBuild, nextEnv } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { findVersions } from './consul-versions.mjs';
import { createCrew, endOnSignals } from './crew.mjs';
import { findFirefox } from './firefox.mjs';
import { otherFonts } from './fonts.mjs';
import { findJava } from './java.mjs';
import { ensurePackages } from './packages.mjs';
import { findPostgres } from './postgres.mjs';
import { inProject, inState, root } from './project.mjs';
import { findRedis } from './redis.mjs';
import { reportOf } from './run-report.mjs';
import { line, ofPlaywright, ofStep, ofVitest, sum } from './tally.mjs';
import { writeTested } from './tested.mjs';

/**
 * Longest time of a step, so that none hangs the run. The slowest one, in the browser, takes some fifteen minutes on
 * two cores.
 */
const stepMsMax = 40 * 60_000;

const crew = createCrew();
/** @param {string} text */
const say = (text) => console.log(text);

/**
 * Runs one tool of `node_modules` to its end.
 * @param {string} title
 * @param {string[]} command path below `node_modules`, then its arguments
 * @param {{ env?: NodeJS.ProcessEnv, saidTo?: string | null }} [options] `saidTo`: a file that takes what it prints, to be shown
 *   when it has ended: two that run side by side would print into each other
 * @returns {Promise<number | null>} exit code
 */
async function step(title, [program = '', ...args], { env = testEnv(), saidTo = null } = {}) {
  say(`\n== ${title}`);
  const out = saidTo === null ? null : openSync(saidTo, 'w');
  const started = Date.now();
  const tool = createCrew({ graceMs: 3_000 });
  crew.include(tool);
  const limit = setTimeout(() => {
    say(`${title}: ended, because it took more than ${stepMsMax / 60_000} minutes.`);
    void tool.end();
  }, stepMsMax);
  const code = await tool.run(process.execPath, [inProject('node_modules', program), ...args], {
    cwd: root,
    env,
    ...(out === null ? {} : { stdio: ['ignore', out, out] }),
  });
  clearTimeout(limit);
  if (saidTo !== null && out !== null) {
    closeSync(out);
    say(`\n== ${title}, from its beginning\n${readFileSync(saidTo, 'utf8')}`);
  }
  say(`== ${title}: ${code === 0 ? 'ok' : 'FAILED'}, ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return code;
}

/**
 * The environment of the tests, without variables that name some Consul or change the console, which would change the
 * results.
 * @param {Record<string, string>} [more]
 * @returns {NodeJS.ProcessEnv}
 */
function testEnv(more = {}) {
  const env = nextEnv(withoutConsul(process.env));
  for (const name of Object.keys(env))
    if (/^(SIGNALBOX_(?!(CACHE|POSTGRES|TEST_ACTIONS)$).*|DATABASE_URL(_FILE)?|PORT|HOST)$/.test(name))
      delete env[name];
  return { ...env, ...more };
}

const biome = '@biomejs/biome/bin/biome';
const vitest = 'vitest/vitest.mjs';
const report = (/** @type {string} */ name) => inState('results', `${name}.json`);

/**
 * @param {string} project
 * @param {{ env?: NodeJS.ProcessEnv, title?: string, saidTo?: string | null, without?: string[] }} [options] `title`: where a
 *   project runs more than once; `without`: files that are left out
 */
async function runVitest(project, { env, title = project, saidTo, without = [] } = {}) {
  const file = report(title.replaceAll(' ', '-'));
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const left = without.map((glob) => `--exclude=${glob}`);
  return ofVitest({
    file,
    title,
    code: await step(title, [vitest, 'run', '--project', project, ...reporters, ...left], { env, saidTo }),
  });
}

/** Tests that use no Consul, for which its version makes no difference, so they run once. */
const besideConsul = [
  'test/{redis,zookeeper,store}/**',
  'test/{rules,threat-model}.test.ts',
  'test/audit/{export,webhook}.test.ts',
  'test/cli/{command,history,watch}.test.ts',
  'test/history/{changes,columns,lost,ranges,retention,scan,usual}.test.ts',
  'test/machines/openapi.test.ts',
  'test/operations/{backup,consul-source,settings,start}.test.ts',
  'test/provider/{redis,redisson,stand-in,zookeeper}.test.ts',
  'test/scripts/{beside,consul-binary,consul-module,java,leash,processes,run-report,tally,tested,unzip,which-consul}.test.ts',
  'test/support/{certificate,curator,fault-proxy,overheard,redis,redisson,zookeeper}.test.ts',
  'quality/chaos/{soak,history/compare,ours/store-file,storms/judges}.test.ts',
  'quality/fuzz/{oracle,pure,served/requests}.test.ts',
  'quality/truth/{vacuous,api-redis,api-zookeeper}.test.ts',
];

/** The backends that the tests ran on. @type {string[]} */
const backends = [];
/** The servers that this machine lacks, each with the reason. @type {string[]} */
const lacking = [];
/** The same for what a build server need not have. @type {string[]} */
const untried = [];

/**
 * Says that a part is missing, now and at the end of the run. For a `catch`.
 * @param {string[]} list of the end of the run
 * @param {string} name of the part; '' where the error names it
 * @param {string} effect what the run does without it
 * @returns {(error: Error) => null}
 */
const goesWithout = (list, name, effect) => (error) => {
  say(`\n!! ${effect} ${error.message}`);
  const why = error.message.split('\n')[0] ?? '';
  list.push(name === '' ? why : `${name} (${why.replace(/\.$/, '')})`);
  return null;
};

/** Fetches the other backends and their clients. */
async function otherBackends() {
  const parts = [
    async () => `Redis ${(await findRedis({ say })).version}`,
    async () => `Redisson ${(await findJava('redisson', { say })).versions.redisson}`,
    async () => {
      const { versions } = await findJava('curator', { say });
      return `ZooKeeper ${versions.zookeeper}, Curator ${versions['curator-recipes']}`;
    },
  ];
  for (const part of parts)
    await part().then((name) => void backends.push(name), goesWithout(lacking, '', 'Tests are skipped.'));
}

const tiers = {
  check: async () => [
    ofStep(await step('format', [biome, 'ci', '--linter-enabled=false', '.']), 'format'),
    ofStep(await step('lint', [biome, 'lint', '.']), 'lint'),
    // Next's own declarations are not in git, and the types of the pages are made from the pages.
    ofStep(
      (await step('page types', ['next/dist/bin/next', 'typegen'])) === 0
        ? await step('types', ['typescript/bin/tsc', '--noEmit'])
        : 1,
      'types',
    ),
    await runVitest('unit'),
  ],
  int: async () => {
    const { main, old } = await versions();
    await findPostgres({ say }).catch(goesWithout(untried, 'Postgres', 'Tests on Postgres are skipped.'));
    await otherBackends();
    const on = (
      /** @type {typeof main} */ binary,
      /** @type {{ saidTo: string | null, without?: string[] }} */ options,
    ) =>
      runVitest('int', {
        env: testEnv({
          CONSUL_BIN: binary.path,
          // A third of the files run on the main Consul alone. With the three workers of the configuration, they would run for
          // minutes after the old one has ended, on a machine that mostly waits.
          ...(binary === main ? { VITEST_MAX_WORKERS: '4' } : {}),
        }),
        title: `int on Consul ${binary.version}`,
        ...options,
      });
    // Most of the time is waiting for Consul's own spans, so both fit side by side.
    return Promise.all([
      on(main, { saidTo: null }),
      ...(old === null
        ? []
        : [on(old, { saidTo: inState('results', 'int-old.txt'), without: besideConsul })]),
    ]);
  },
  e2e: async () => {
    const { main } = await versions();
    const chromium = await findChromium({ crew, say, shell: true });
    const built = await build();
    if (built.failed > 0) return [built];
    const file = report('e2e');
    const fonts = await otherFonts({ say }).catch(
      goesWithout(untried, 'other fonts', "The pages in Chinese are tried with this machine's fonts alone."),
    );
    const firefox = await findFirefox({ crew, say }).catch(
      goesWithout(untried, 'Firefox', 'Firefox is not tried.'),
    );
    const env = testEnv({
      CONSUL_BIN: main.path,
      SIGNALBOX_CHROMIUM: chromium,
      ...(firefox === null ? {} : { SIGNALBOX_FIREFOX: firefox }),
      PLAYWRIGHT_JSON_OUTPUT_FILE: file,
      ...(fonts === null
        ? {}
        : {
            SIGNALBOX_OTHER_FONTS: fonts.file,
            SIGNALBOX_OTHER_FONTS_ARE: fonts.chinese ? 'chinese' : 'without chinese',
          }),
    });
    const code = await step('e2e', ['@playwright/test/cli.js', 'test'], { env });
    fonts?.remove();
    return [built, ofPlaywright({ file, code, title: 'e2e' })];
  },
};

/** @type {Promise<import('./consul-versions.mjs').Versions> | null} */
let found = null;

/** Both Consuls, searched for once in a run. */
function versions() {
  found ??= findVersions({ say });
  return found;
}

async function build() {
  say('\n== build');
  const current = buildIsCurrent();
  const code = await ensureBuild({ crew, say }).then(
    () => 0,
    (error) => {
      console.error(error.message);
      return 1;
    },
  );
  say(`== build: ${code === 0 ? (current ? 'ok, already there' : 'ok') : 'FAILED'}`);
  return ofStep(code, 'build');
}

/** The need of vite and rolldown under vitest. The console itself starts with 20.9. */
const testsNeed = { major: 20, minor: 19 };

async function main() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < testsNeed.major || (major === testsNeed.major && minor < testsNeed.minor))
    throw new Error(
      `The tests need Node ${testsNeed.major}.${testsNeed.minor} or later, and this is ${process.version}. Install a newer one and run npm test again; npm start works with 20.9.`,
    );
  const asked = process.argv.slice(2);
  const all = /** @type {(keyof typeof tiers)[]} */ (Object.keys(tiers));
  const chosen = asked.length === 0 ? all : all.filter((tier) => asked.includes(tier));
  if (chosen.length < asked.length) {
    console.error(`npm test [${all.join(' | ')}]`);
    return 2;
  }
  await ensurePackages({ crew, say });
  rmSync(inState('results'), { recursive: true, force: true });
  mkdirSync(inState('results'), { recursive: true });
  const tallies = [];
  for (const tier of chosen)
    try {
      tallies.push(...(await tiers[tier]()));
    } catch (error) {
      // A tier that cannot run does not pass.
      const why = `${tier}: ${error instanceof Error ? error.message : error}`;
      console.error(`\n${why}`);
      tallies.push(ofStep(1, why));
    }
  const { versions: lines, uncovered } = await ranOn(chosen);
  // Before the build server's own rule: the versions that ran have passed, whatever else this machine lacks.
  if (chosen.length === all.length && sum(tallies).failed === 0) await noteTested();
  await crew.end();
  const { text, exitCode } = reportOf({
    tallies,
    versions: lines,
    uncovered,
    untried,
    ci: Boolean(process.env.CI),
    tookMs: performance.now(),
  });
  say(text);
  return exitCode;
}

/**
 * The Consuls and the other backends that the tiers ran on, and what was not covered.
 * @param {readonly string[]} chosen the tiers that ran
 * @returns {Promise<{ versions: string[], uncovered: string[] }>}
 */
async function ranOn(chosen) {
  const consul = await found?.catch(() => null);
  const others = backends.length > 0 ? [`${backends.join(', ')}: int`] : [];
  // A tier that needs a Consul has failed without one.
  if (consul == null) return { versions: others, uncovered: lacking };
  const { main, old, uncovered } = consul;
  return {
    versions: [
      `Consul ${main.version} from ${main.source}: ${chosen.join(', ')}`,
      ...(old !== null && chosen.includes('int') ? [`Consul ${old.version} from ${old.source}: int`] : []),
      ...others,
    ],
    uncovered: [...uncovered, ...lacking],
  };
}

/** Names the versions in `docs/operations.md`. */
async function noteTested() {
  if (found === null) return;
  const { main, old } = await found;
  writeTested({ main: main.version, old: old?.version ?? null });
}

endOnSignals(crew);
process.exitCode = await main().catch((error) => {
  console.error(`\n${error instanceof Error ? error.message : error}\n\n${line(ofStep(1, 'the run'))}`);
  return 1;
});
