/**
 * The tests' Java parts: real clients of Redisson and Curator, and ZooKeeper's server. Maven brings the jars, whose
 * checksums are pinned beside their `pom.xml`, and `javac` compiles our small programs that tests drive. Both stay in
 * the folder of fetched programs.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { sha256 } from './download.mjs';
import { keptFolder } from './kept.mjs';
import { onPath } from './on-path.mjs';
import { inProject } from './project.mjs';

const run = promisify(execFile);

/** The oldest Java that our programs support. */
const javaMin = 17;

/** The folders of `scripts/java`. @typedef {'redisson' | 'curator'} Part */

/** For people. @type {Record<Part, string>} */
const names = { redisson: 'Redisson', curator: 'ZooKeeper and Curator' };

/** Small, and quick to start, because tests start many. */
export const jvmFlags = [
  ...['-Xmx64m', '-Xss512k', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:ActiveProcessorCount=2'],
  // Otherwise each process leaves a file in the folder for temporary files.
  '-XX:-UsePerfData',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];

/**
 * @typedef {object} JavaPart
 * @property {string} java path of the program
 * @property {string} classpath jars and our own classes
 * @property {Readonly<Record<string, string>>} versions of its jars, by their names: `{ zookeeper: '3.9.5' }`
 */

/** @param {string} name */
function tool(name) {
  const home = process.env.JAVA_HOME;
  if (home && existsSync(join(home, 'bin', name))) return join(home, 'bin', name);
  const path = onPath(name, process.env);
  if (path === null) throw new Error(`this machine has no ${name}`);
  return path;
}

/** @returns {Promise<string>} the path of `java`; throws where it is older than needed */
async function java() {
  const path = tool('java');
  const { stderr } = await run(path, ['-version'], { timeout: 60_000 });
  const [, version = ''] = /version "(\d+)/.exec(stderr) ?? [];
  if (Number(version) < javaMin)
    throw new Error(`it needs Java ${javaMin}, and this is ${version || stderr}`);
  return path;
}

/** @param {string[]} files */
function digest(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

/** @param {string} program @param {string[]} args */
async function done(program, args) {
  await run(program, args, { timeout: 300_000, maxBuffer: 16 * 1024 * 1024 }).catch((cause) => {
    const said = `${cause.stdout ?? ''}\n${cause.stderr ?? ''}`.split('\n');
    const first = said.find((line) => /error/i.test(line)) ?? cause.message;
    throw new Error(`${program} failed: ${first.trim()}`, { cause });
  });
}

/**
 * Refuses a folder that contains anything but the pinned jars.
 * @param {string} folder
 * @param {string} list lines of `<sha256>  <file>`
 */
export function refuseOthers(folder, list) {
  const wanted = new Map(
    list.split('\n').flatMap((line) => {
      const [, sum = '', file = ''] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
      return file === '' ? [] : [[file, sum]];
    }),
  );
  for (const file of readdirSync(folder))
    if (sha256(readFileSync(join(folder, file))) !== wanted.get(file))
      throw new Error(`${file} does not have the pinned checksum: it was refused`);
  const missing = [...wanted.keys()].find((file) => !existsSync(join(folder, file)));
  if (missing !== undefined) throw new Error(`Maven did not bring ${missing}`);
}

/** @type {Map<Part, Promise<JavaPart>>} */
const found = new Map();

/**
 * Finds a part, and fetches and compiles it if necessary. Throws what is missing.
 * @param {Part} part
 * @param {{ say?: (line: string) => void, fetch?: boolean }} [options] `fetch`: false where only jars that are here will do
 * @returns {Promise<JavaPart>}
 */
export function findJava(part, { say = () => {}, fetch = true } = {}) {
  const known = found.get(part);
  if (known !== undefined) return known;
  const finding = find(part, say, fetch).catch((cause) => {
    found.delete(part);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `There is no ${names[part]} for the tests: ${why}.\nInstall a JDK ${javaMin} or newer and Maven.`,
      { cause },
    );
  });
  found.set(part, finding);
  return finding;
}

/** @param {Part} part @param {(line: string) => void} say @param {boolean} fetch @returns {Promise<JavaPart>} */
async function find(part, say, fetch) {
  const program = await java();
  const here = (/** @type {string[]} */ ...names) => inProject('scripts', 'java', ...names);
  const pom = here(part, 'pom.xml');
  const list = here(part, 'jars.sha256');
  const bring = async (/** @type {string} */ dir) => {
    const maven = tool('mvn');
    say(`Fetching the jars of ${names[part]} with Maven …`);
    await done(maven, [
      '-q',
      '-B',
      '-f',
      pom,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${dir}/jars`,
    ]);
    refuseOthers(join(dir, 'jars'), readFileSync(list, 'utf8'));
    return join(dir, 'jars');
  };
  const jars = await keptFolder(`java-${part}-${digest([pom, list])}`, fetch ? bring : null);
  const folders = [here(), here(part)];
  const sources = folders
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
    .filter((file) => file.endsWith('.java'));
  const classes = await keptFolder(`java-${part}-classes-${digest([pom, list, ...sources])}`, async (dir) => {
    const to = join(dir, 'classes');
    mkdirSync(to);
    const classpath = join(jars, '*');
    await done(tool('javac'), [
      ...['--release', String(javaMin), '-nowarn', '-proc:none', '-d', to, '-cp', classpath],
      ...sources,
    ]);
    return to;
  });
  const versions = readdirSync(jars).flatMap((jar) => {
    const [, name = '', version = ''] = /^(.+?)-(\d.*)\.jar$/.exec(jar) ?? [];
    return name === '' ? [] : [[name, version]];
  });
  return {
    java: program,
    classpath: [classes, join(jars, '*')].join(delimiter),
    versions: Object.fromEntries(versions),
  };
}
