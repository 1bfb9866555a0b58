/** `npm run chaos -- redis`, or `zookeeper`: storms of some minutes, and their rows in `docs/faults.md`. */
import { cpus, loadavg } from 'node:os';
import { writeStorms } from '@/quality/chaos/page';
import { endAll } from '@/test/support/endings';
import { stormOnRedis } from './redis';
import type { StormOptions, StormReport } from './storm';
import { stormOnZooKeeper } from './zookeeper';

const minutesUsual = 5;
const killEveryMs = 20_000;
const deposeEveryMs = 30_000;
const shownMax = 20;

interface Storm {
  readonly name: string;
  readonly title: string;
  run(options: StormOptions): Promise<StormReport>;
}

const storms: Readonly<Record<string, readonly Storm[]>> = {
  redis: [
    {
      name: 'redis-cluster',
      title: 'Redis, a cluster of three masters with a replica each',
      run: (options) => stormOnRedis('cluster', options),
    },
    {
      name: 'redis-sentinel',
      title: 'Redis, a master and its replica under three sentinels',
      run: (options) => stormOnRedis('sentinel', options),
    },
  ],
  zookeeper: [{ name: 'zookeeper', title: 'ZooKeeper, an ensemble of three', run: stormOnZooKeeper }],
};

const rowOf = (storm: Storm, { wrong, counts }: StormReport, ms: number): string => {
  const counted = Object.entries(counts).map(([what, n]) => `${n.toLocaleString('en')} ${what}`);
  const held = wrong.length === 0 ? 'held' : `**broken ${wrong.length} times**`;
  const when = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, load ${loadavg()[1]?.toFixed(0)}`;
  return `| ${storm.title} | ${(ms / 60_000).toFixed(1)} min | ${counted.join(', ')} | ${held} | ${when} |`;
};

/** Returns the exit code of the process. `minutes`: of each storm; 0 for the default. */
export async function stormsOn(backend: string, minutes: number): Promise<number> {
  const all = storms[backend];
  if (all === undefined) {
    console.error(`There is no storm on ${backend}. There are: ${Object.keys(storms).join(', ')}.`);
    return 2;
  }
  const ms = (minutes || minutesUsual) * 60_000;
  const rows = new Map<string, string>();
  let broken = 0;
  for (const storm of all) {
    console.log(`\n== ${storm.title}`);
    try {
      const report = await storm.run({
        ms,
        killEveryMs,
        deposeEveryMs,
        say: (text) => console.log(`   ${text}`),
      });
      console.log(report.counts);
      for (const text of report.wrong.slice(0, shownMax)) console.log(`   BROKEN ${text}`);
      broken += report.wrong.length;
      rows.set(storm.name, rowOf(storm, report, ms));
    } finally {
      await endAll();
    }
  }
  writeStorms(rows);
  console.log(`\n${broken} invariants broken. docs/faults.md is written.`);
  return broken === 0 ? 0 : 1;
}
