/** `npm run chaos` in its own process; see `scripts/chaos.mjs` for the command line. */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { treeNow } from '@/scripts/tree.mjs';
import { stopAll } from '@/test/support/consul';
import { faults } from './all';
import { openPages } from './browser';
import { chanceOf } from './chance';
import { runHistory } from './history/run';
import { inTime } from './in-time';
import { startVisitors, type Visitors } from './ours/visitors';
import { printed, writeHistory, writePage } from './page';
import { type Played, run } from './run';
import { createProbe, flatTable, grown, hasThirds, type Sample } from './soak';
import { stormsOn } from './storms/command';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '0' },
    seed: { type: 'string', default: '' },
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
  },
});
const names = faults.map(({ name }) => name);
const only = values.only.flatMap((text) => text.split(',')).filter(Boolean);
const unknown = only.filter((name) => !names.includes(name));
const seed = values.seed === '' ? Date.now() % 1_000_000 : Number(values.seed);
const minutes = Number(values.minutes);
/** From here on a run of all faults is the proof of the page. */
const wholeMinutes = 60;

/** The history beside an independent recorder: `npm run chaos -- history`. */
async function history(): Promise<number> {
  const say = (text: string) => console.log(text);
  if (!values.again) say(`Seed ${seed}.`);
  try {
    const parts = await runHistory({
      minutes: minutes > 0 ? minutes : 10,
      seed,
      only: only[0],
      again: values.again,
      consul: process.env.SIGNALBOX_BENCH_CONSUL ?? 'unknown',
      say,
    });
    writeHistory(parts);
    say('docs/faults.md is written.');
    return parts.every(({ compared }) => compared.differences.length === 0) ? 0 : 1;
  } finally {
    await stopAll();
  }
}

async function main(): Promise<number> {
  if (values.list) {
    console.log(names.join('\n'));
    return 0;
  }
  if (unknown.length > 0 || !Number.isInteger(seed) || !(minutes >= 0)) {
    console.error(`There is no fault ${unknown.join(', ')}. There are: ${names.join(', ')}.`);
    return 2;
  }
  const say = (text: string) => console.log(text);
  const played: Played[] = [];
  say(`Seed ${seed}. The same one plays the same faults in the same order again: --seed ${seed}`);
  const asked = [
    ...(minutes > 0 ? ['--minutes', `${minutes}`] : []),
    ...(only.length > 0 ? ['--only', only.join(',')] : []),
    '--seed',
    `${seed}`,
  ];
  const command = `npm run chaos -- ${asked.join(' ')}`;
  const facts = {
    order: names,
    consul: process.env.SIGNALBOX_BENCH_CONSUL ?? 'unknown',
    tree: treeNow({ but: 'docs/faults.md' }) ?? 'not under git',
    command,
    loadBefore: loadavg(),
  };
  // An hour's run also checks that the server stays flat.
  const probe = minutes > 0 ? createProbe() : null;
  const samples: Sample[] = [];
  // A mistake of the run's own must not end it, but must show.
  let strays = 0;
  process.on('unhandledRejection', (error) => {
    strays += 1;
    say(`UNHANDLED ${error instanceof Error ? error.stack : error}`);
  });
  const pages = await openPages();
  if (pages === null) say('No Chromium was found: no page is looked at.');
  const guests = new Set<Visitors>();
  const leave = async () => {
    for (const visitors of guests)
      await inTime(30_000, 'visitors to leave', visitors.stop()).catch((error: Error) => say(error.message));
    guests.clear();
  };
  try {
    const unattributed = await run({
      faults: faults.filter(({ name, minutesMin = 0 }) =>
        only.length === 0 ? minutes >= minutesMin : only.includes(name),
      ),
      seed,
      minutes,
      say,
      ...(probe === null ? {} : { env: probe.env }),
      onPlayed: async (one, stage) => {
        played.push(one);
        say(printed(one));
        const sample = stage === null ? null : ((await probe?.look(stage.server.pid)) ?? null);
        if (sample !== null) samples.push(sample);
        writePage(played, { ...facts, flat: samples.length < 3 ? null : flatTable(samples) });
      },
      onStage: async (stage, moment) => {
        await leave();
        if (moment === 'raised') await pages?.open(stage);
        // The search for leaks needs visitors.
        if (probe === null || moment === 'over') return;
        const { baseUrl } = stage.server;
        guests.add(
          startVisitors({ baseUrl, tokens: [stage.tokens.editor], chance: chanceOf(seed), size: 2 }),
        );
      },
    });
    strays += unattributed.length;
  } finally {
    await leave();
    await pages?.close();
    probe?.close();
    await stopAll();
  }
  if (samples.length >= 3) say(`\n${flatTable(samples)}`);
  const broken = played.filter(({ violations }) => violations.length > 0);
  const leaks = grown(samples).map(({ measure }) => measure);
  if (leaks.length > 0) say(`\nNOT FLAT: ${leaks.join(', ')} grew from the middle third to the last.`);
  // An hour that did not look at it has proved nothing. In less no process lives for long enough.
  const isWhole = minutes >= wholeMinutes && only.length === 0;
  const unproven = [
    ...(isWhole && !hasThirds(samples) ? ['that it stays flat'] : []),
    ...(isWhole && pages === null ? ['what a page shows'] : []),
  ];
  if (unproven.length > 0) say(`\nNOT PROVEN: ${unproven.join(', ')}.`);
  say(`\n${played.length} faults played, ${broken.length} broke an invariant. docs/faults.md is written.`);
  return broken.length + leaks.length + unproven.length === 0 && strays === 0 ? 0 : 1;
}

const [what = ''] = positionals;
const commands: Readonly<Record<string, () => Promise<number>>> = { '': main, history };
// Exits even if a stage left handles open.
process.exit(await (commands[what] ?? (() => stormsOn(what, minutes)))());
