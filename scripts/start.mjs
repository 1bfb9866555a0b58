/**
 * `npm start`, `npm run dev` and `npm run build`: from a fresh clone to a running console in one command. Plain Node,
 * because it runs before there are packages.
 */
import { existsSync } from 'node:fs';
import { logTail } from './agent.mjs';
import { claimBeside, sourcesWith } from './beside.mjs';
import { ensureBuild } from './build.mjs';
import { bundleDemo } from './bundle.mjs';
import { chooseAddress, startConsole, urlOf, whenAnswering } from './console.mjs';
import { createCrew, endOnSignals } from './crew.mjs';
import { options, usage } from './options.mjs';
import { ensurePackages } from './packages.mjs';
import { inProject } from './project.mjs';
import { chooseConsul, namesOthersOnly } from './which-consul.mjs';

/** @param {string} line */
const say = (line) => console.log(line);

/** @returns {Promise<string | null>} the program of the demo world; null: there is none */
async function demoProgram() {
  if (!existsSync(inProject('scripts/demo/main.ts'))) {
    say('This clone has no demo world (scripts/demo).');
    return null;
  }
  return bundleDemo().catch((error) => {
    say(`The demo world could not be built, so the console goes on without: ${error.message}`);
    return null;
  });
}

/**
 * Starts a program of the demo world, which finds Consul by `env`.
 * @param {import('./crew.mjs').Crew} crew
 * @param {string[]} program its path and its arguments
 * @param {NodeJS.ProcessEnv} env
 */
function startDemo(crew, program, env) {
  // Its standard input is a pipe that ends with us, so that it can leave in order even when we are killed.
  const demo = crew.start(process.execPath, program, { env, stdio: ['pipe', 'inherit', 'inherit'] });
  demo.stdin?.on('error', () => {});
  demo.once('exit', (code) => {
    if (!crew.ending())
      say(`The demo world ended (${code ?? 'killed'}); the console goes on. Start again to have it back.`);
  });
}

/**
 * @param {import('./crew.mjs').Crew} crew
 * @param {{ mode: 'start' | 'dev' | 'build', demo: boolean | null }} asked
 * @returns {Promise<void>} when the page answers
 */
async function start(crew, { mode, demo }) {
  if (mode === 'build') {
    await ensurePackages({ crew, say });
    await ensureBuild({ crew, say });
    say('Built. `npm start` runs it.');
    return;
  }
  const address = await chooseAddress(process.env);
  await ensurePackages({ crew, say });
  if (mode === 'start') await ensureBuild({ crew, say });
  const consul = await chooseConsul({ env: process.env, demo, crew, say });
  const nowhere = namesOthersOnly(process.env);
  if (demo && nowhere)
    say('The sources name others than the Consul of CONSUL_HTTP_ADDR, so there is no demo.');
  const wanted = !nowhere && (demo ?? consul.kind === 'embedded');
  // Another Signalbox of this folder may already run the demo on the same Consul.
  const program = wanted && !consul.demo ? await demoProgram() : null;
  const shown = consul.demo || program !== null;
  // The servers take some seconds of a small machine, so only an explicit `--demo` starts them.
  const beside = demo === true ? await claimBeside(process.env) : null;

  say('Starting the console …');
  const server = startConsole({
    crew,
    mode,
    ...address,
    env: {
      ...consul.env,
      SIGNALBOX_HOST: address.host,
      ...(shown ? { SIGNALBOX_DEMO: '1' } : {}),
      ...(beside === null ? {} : { SIGNALBOX_SOURCES: sourcesWith(beside) }),
    },
  });
  server.once('exit', (code) => {
    if (!crew.ending())
      fail(crew, `The console ended (${code ?? server.signalCode}). What it said above tells why.`);
  });
  // The console starts while Consul elects its leader.
  await consul.ready;
  consul.agent?.exited.then(() => {
    if (!crew.ending())
      fail(crew, `The embedded Consul ended by itself. Its log:\n${logTail(consul.agent?.logFile ?? '')}`);
  });
  if (program !== null) startDemo(crew, [program], consul.env);
  if (beside !== null)
    startDemo(crew, [inProject('scripts/demo/beside.mjs'), JSON.stringify(beside)], consul.env);
  const url = urlOf(address);
  await whenAnswering({ url, server });
  say('');
  say(`  Signalbox   ${url}`);
  say(`  Consul      ${consul.where}${consul.kind === 'embedded' ? ' (embedded)' : ''}`);
  if (beside !== null)
    say(
      `  Beside it   ${[...(beside.redis === null ? [] : ['Redis with Redisson']), ...(beside.zookeeper === null ? [] : ['ZooKeeper with Curator'])].join(', ')}`,
    );
  if (shown)
    say('  Demo        processes contend for locks and semaphores (leave out: npm start -- --no-demo)');
  say('  Ctrl-C ends it.');
}

/**
 * @param {import('./crew.mjs').Crew} crew
 * @param {string} message
 */
async function fail(crew, message) {
  if (crew.ending()) return;
  console.error(`\n${message}`);
  await crew.end();
  process.exit(1);
}

async function main() {
  const asked = options(process.argv.slice(2));
  if (asked === null) {
    const help = process.argv.includes('--help') || process.argv.includes('-h');
    (help ? console.log : console.error)(usage);
    process.exit(help ? 0 : 2);
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 9)) {
    console.error(`Signalbox needs Node 20.9 or later; this is ${process.version}.`);
    process.exit(1);
  }
  const crew = createCrew();
  endOnSignals(crew, { said: () => say('\nEnding …') });
  await start(crew, asked).catch((error) =>
    fail(crew, error instanceof Error ? error.message : String(error)),
  );
}

await main();
