/**
 * `main <name> <folder>` runs one benchmark, and leaves its result in the folder. `main --page <folder>` writes the
 * page of all.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { stopAll } from '@/test/support/consul';
import { endAll } from '@/test/support/endings';
import { benches } from './all';
import type { Bench } from './figure';
import { type Measured, printed, type Result, writePage } from './page';

async function load(name: string): Promise<Bench> {
  const bench = benches[name];
  if (bench === undefined)
    throw new Error(`There is no benchmark ${name}: ${Object.keys(benches).join(', ')}.`);
  return bench();
}

const resultFile = (folder: string, name: string) => `${folder}/${name}.json`;
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

async function measure(name: string, folder: string): Promise<void> {
  const bench = await load(name);
  const ends: (() => unknown)[] = [];
  const startedAt = new Date().toISOString();
  console.log(`\n== ${name}: ${bench.title}`);
  try {
    const table = await bench.run({
      say: (text) => console.log(`   ${text}`),
      defer: (end) => void ends.push(end),
    });
    const result: Result = { table, startedAt };
    writeFileSync(resultFile(folder, name), JSON.stringify(result));
    console.log(printed(table));
  } finally {
    for (const end of ends.reverse()) await end();
    await endAll();
    await stopAll();
  }
}

/** A benchmark without a result has failed. */
async function page(folder: string): Promise<void> {
  const all: Measured[] = [];
  for (const name of Object.keys(benches)) {
    const file = resultFile(folder, name);
    all.push({ ...(await load(name)), result: existsSync(file) ? (read(file) as Result) : null });
  }
  writePage(read(`${folder}/run.json`), all);
}

const [first = '', folder = ''] = process.argv.slice(2);
if (first === '--names') console.log(Object.keys(benches).join('\n'));
else if (first === '--page') await page(folder);
else await measure(first, folder);
// A benchmark's open handles must not delay the next one.
process.exit(0);
