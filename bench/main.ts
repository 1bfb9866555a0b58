/** One benchmark in this process: `main <name> <file for the result>`; or `main --page <folder of results>`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { stopAll } from '@/test/support/consul';
import { benches } from './all';
import { type Measured, printed, writePage } from './page';

async function measure(name: string, file: string): Promise<void> {
  const load = benches[name];
  if (load === undefined)
    throw new Error(`There is no benchmark ${name}: ${Object.keys(benches).join(', ')}.`);
  const bench = await load();
  const ends: (() => unknown)[] = [];
  console.log(`\n== ${name}: ${bench.title}`);
  try {
    const table = await bench.run({
      say: (text) => console.log(`   ${text}`),
      defer: (end) => void ends.push(end),
    });
    const measured: Measured = {
      name,
      title: bench.title,
      about: bench.about,
      table,
      consul: process.env.SIGNALBOX_BENCH_CONSUL ?? 'unknown',
      at: new Date().toISOString(),
    };
    writeFileSync(file, JSON.stringify(measured));
    console.log(printed(measured));
  } finally {
    for (const end of ends.reverse()) await end();
    await stopAll();
  }
}

const [first = '', second = ''] = process.argv.slice(2);
if (first === '--names') console.log(Object.keys(benches).join('\n'));
else if (first === '--page')
  writePage(
    second
      .split(',')
      .filter(Boolean)
      .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Measured),
    Object.keys(benches),
  );
else await measure(first, second);
// What a benchmark forgot to close must not keep the next one waiting.
process.exit(0);
