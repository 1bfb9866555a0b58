/** Loads of viewers on Signalbox, all from addresses other than the operator's. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '@/quality/chaos/chance';
import type { Fault } from '@/quality/chaos/fault';
import { agent } from '@/quality/chaos/ground';
import type { Stage } from '@/quality/chaos/stage';
import { type Crowd, startCrowd } from './crowd';
import { startVisitors, type Visitors } from './visitors';

const crowdOf = new Map<object, Crowd>();

/** Opens a crowd. Returns it with the number of answers by status. */
async function gather(stage: Stage, size: number, together?: number) {
  const crowd = startCrowd(stage.server.baseUrl);
  crowdOf.set(stage, crowd);
  const answers = await crowd.open(size, together);
  stage.say(`   streams: ${JSON.stringify(answers)}`);
  return { crowd, answers };
}

async function scatter(stage: Stage): Promise<void> {
  await crowdOf.get(stage)?.leave();
  crowdOf.delete(stage);
}

const asleep: Fault = {
  name: 'viewers-asleep',
  title: '300 viewers open a stream and never read it, then break it',
  ground: agent,
  hits: 'console',
  lastsMs: [6_000, 10_000],
  inject: async (stage) => {
    const { crowd } = await gather(stage, 300);
    crowd.read(0);
  },
  mend: scatter,
};

const drip: Fault = {
  name: 'viewers-slow',
  title: '100 viewers read a thousand bytes a second',
  ground: agent,
  hits: 'console',
  lastsMs: [8_000, 10_000],
  inject: async (stage) => {
    const { crowd } = await gather(stage, 100);
    crowd.read(1_000);
  },
  mend: scatter,
};

const floodSize = 10_000;
const streamsMax = 1_000;
const flood: Fault = {
  name: 'viewers-beyond-the-cap',
  title:
    '10,000 viewers want a stream, 200 at a time: no more than 1,000 get one, each other is told when to come again',
  ground: agent,
  hits: 'console',
  lastsMs: [2_000, 4_000],
  inject: async (stage) => {
    const { answers } = await gather(stage, floodSize, 200);
    const odd = Object.keys(answers).filter((status) => !['200', '503', '429'].includes(status));
    if (odd.length > 0) throw new Error(`Viewers were answered with ${odd.join(', ')}.`);
    const given = answers[200] ?? 0;
    if (given === 0 || given > streamsMax) throw new Error(`${given} streams were given.`);
    // A page without a stream still works, and the operator can still look and act.
    const page = await fetch(`${stage.server.baseUrl}/`, { signal: AbortSignal.timeout(20_000) });
    if (page.status !== 200) throw new Error(`The page was answered with ${page.status}.`);
  },
  mend: scatter,
};

/** Descriptors left for the crowd: fewer than it wants, more than the server needs. */
const descriptorsLeft = 60;
const scarce: Fault = {
  name: 'descriptors-gone',
  title: `The process may open ${descriptorsLeft} descriptors more (\`ulimit -n\`), and 300 viewers come, fifty at a time`,
  ground: agent,
  hits: 'console',
  lastsMs: [4_000, 6_000],
  silences: true,
  inject: async (stage) => {
    const { pid } = stage.server;
    limit(pid, readdirSync(`/proc/${pid}/fd`).length + descriptorsLeft);
    const { answers } = await gather(stage, 300, 50);
    // Viewers without a descriptor get no answer. If all found one, the fault did not happen.
    if ((answers[200] ?? 0) >= 300) throw new Error('Every viewer got a stream.');
  },
  mend: async (stage) => {
    await scatter(stage);
    const { hard } = limitOf(stage.server.pid);
    limit(stage.server.pid, hard);
    const page = await fetch(`${stage.server.baseUrl}/`, { signal: AbortSignal.timeout(20_000) });
    if (page.status !== 200) throw new Error(`The page was answered with ${page.status}.`);
  },
};

/** The hard limit, to which Node raises the soft one at its start. */
function limitOf(pid: number): { readonly hard: number } {
  const [, hard = ''] =
    /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
  return { hard: Number(hard) };
}

/** Linux only. */
function limit(pid: number, softMax: number): void {
  execFileSync('prlimit', ['--pid', `${pid}`, `--nofile=${softMax}:`]);
}

const visitorsOf = new Map<object, Visitors>();
const visits: Fault = {
  name: 'visitors',
  title: 'Hundreds of visits: pages, streams that end in every way, share links, half requests, wrong tokens',
  ground: agent,
  hits: 'console',
  lastsMs: [8_000, 12_000],
  inject: async (stage: Stage, chance: Chance) => {
    visitorsOf.set(
      stage,
      startVisitors({ baseUrl: stage.server.baseUrl, tokens: [stage.tokens.editor], chance, size: 10 }),
    );
    await delay(0);
  },
  mend: async (stage) => {
    const visitors = visitorsOf.get(stage);
    visitorsOf.delete(stage);
    await visitors?.stop();
    if (visitors === undefined) return;
    const made = Object.values(visitors.made).reduce((a, b) => a + b, 0);
    stage.say(`   ${made} visits; otherwise: ${JSON.stringify(visitors.failed)}`);
    // Nothing else may fail meanwhile.
    const wrong = Object.keys(visitors.failed).filter((what) => /: 5\d\d$/.test(what));
    if (wrong.length > 0) throw new Error(`Visits failed: ${wrong.join('; ')}.`);
  },
};

export const crowdFaults: readonly Fault[] = [asleep, drip, flood, scarce, visits];
