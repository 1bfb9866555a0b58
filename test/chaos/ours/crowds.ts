/** What viewers do to Signalbox, from a process of their own as it were: all from addresses other than the operator's. */
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance, Fault } from '@/test/chaos/fault';
import { agent } from '@/test/chaos/ground';
import type { Stage } from '@/test/chaos/stage';
import { startVisitors, type Visitors } from './visitors';

const crowdOf = new Map<object, http.IncomingMessage[]>();

/** Another address for every few, so that no budget of one address turns them away. */
const addressOf = (n: number) => `127.1.${1 + Math.floor(n / 250)}.${1 + (n % 250)}`;

/** Opens a stream; its answer, or `null` when it was turned away or broken. */
const open = (stage: Stage, n: number) =>
  new Promise<{ readonly status: number; readonly response: http.IncomingMessage | null }>((resolve) => {
    const url = `${stage.server.baseUrl}/api/v1/events`;
    const asked = http.get(url, { agent: false, localAddress: addressOf(n), timeout: 30_000 }, (response) => {
      response.on('error', () => {});
      if (response.statusCode === 200) resolve({ status: 200, response });
      else {
        response.resume();
        resolve({ status: response.statusCode ?? 0, response: null });
      }
    });
    asked.on('error', () => resolve({ status: 0, response: null }));
    asked.on('timeout', () => asked.destroy());
  });

/** So many come, thirty at a time; how each was answered. */
async function gather(stage: Stage, size: number): Promise<Record<number, number>> {
  const answers: Record<number, number> = {};
  const crowd: http.IncomingMessage[] = [];
  crowdOf.set(stage, crowd);
  let next = 0;
  const come = async () => {
    for (let n = next++; n < size; n = next++) {
      const { status, response } = await open(stage, n);
      answers[status] = (answers[status] ?? 0) + 1;
      if (response !== null) crowd.push(response);
    }
  };
  await Promise.all(Array.from({ length: 30 }, come));
  stage.say(`   streams: ${JSON.stringify(answers)}`);
  return answers;
}

/** All of them are gone at once, without a word. */
async function scatter(stage: Stage): Promise<void> {
  for (const response of crowdOf.get(stage) ?? []) response.socket.resetAndDestroy();
  crowdOf.delete(stage);
}

const asleep: Fault = {
  name: 'viewers-asleep',
  title: '300 viewers open a stream and never read it, then break it',
  ground: agent,
  hits: 'console',
  lastsMs: [6_000, 10_000],
  inject: async (stage) => {
    await gather(stage, 300);
    for (const response of crowdOf.get(stage) ?? []) response.pause();
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
    await gather(stage, 100);
    for (const response of crowdOf.get(stage) ?? []) {
      response.on('data', (part: Buffer) => {
        response.pause();
        setTimeout(() => response.resume(), part.length).unref();
      });
    }
  },
  mend: scatter,
};

const flood: Fault = {
  name: 'viewers-beyond-the-cap',
  title: '2,000 viewers want a stream at once: no more than 1,000 get one, the others are told so',
  ground: agent,
  hits: 'console',
  lastsMs: [2_000, 4_000],
  // They, Consul, its clients and the server share the cores of one machine, and the newest world waits behind theirs.
  boundMs: 20_000,
  inject: async (stage) => {
    const answers = await gather(stage, 2_000);
    for (const response of crowdOf.get(stage) ?? []) response.resume();
    const odd = Object.keys(answers).filter((status) => !['200', '503', '429'].includes(status));
    if (odd.length > 0) throw new Error(`Viewers were answered with ${odd.join(', ')}.`);
    const given = answers[200] ?? 0;
    if (given === 0 || given > 1_000) throw new Error(`${given} streams were given.`);
    // A page without a stream is still a page, and whoever operates can still look and act.
    const page = await fetch(`${stage.server.baseUrl}/`, { signal: AbortSignal.timeout(20_000) });
    if (page.status !== 200) throw new Error(`The page was answered with ${page.status}.`);
  },
  mend: scatter,
};

const visitorsOf = new Map<object, Visitors>();
const visits: Fault = {
  name: 'visitors',
  title: 'Hundreds of visits: pages, streams that end in every way, share links, half requests, wrong tokens',
  ground: agent,
  hits: 'console',
  lastsMs: [8_000, 12_000],
  inject: async (stage: Stage, chance: Chance) => {
    visitorsOf.set(stage, startVisitors({ baseUrl: stage.server.baseUrl, tokens: [], chance, size: 10 }));
    await delay(0);
  },
  mend: async (stage) => {
    const visitors = visitorsOf.get(stage);
    visitorsOf.delete(stage);
    await visitors?.stop();
    if (visitors === undefined) return;
    const made = Object.values(visitors.made).reduce((a, b) => a + b, 0);
    stage.say(`   ${made} visits; otherwise: ${JSON.stringify(visitors.failed)}`);
    // Nothing else is wrong meanwhile.
    const wrong = Object.keys(visitors.failed).filter((what) => /: 5\d\d$/.test(what));
    if (wrong.length > 0) throw new Error(`Visits failed: ${wrong.join('; ')}.`);
  },
};

export const crowdFaults: readonly Fault[] = [asleep, drip, flood, visits];
