/**
 * The cost of each address for the server, and another person's wait while one client sends it forty requests at once.
 */
import { request } from 'node:http';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import {
  type Bench,
  type BenchStage,
  bytes,
  type Figure,
  ms,
  noMoreThan,
  plainFigure,
  quantile,
} from './figure';
import { furnish } from './furnished';
import { plainHttp } from './plain';
import { fork } from './stream-server';
import { createScales, type Weighed } from './weighed';

const atOnce = 40;
const alone = 5;
const waitMaxMs = 100;
const sizes = [3_000, 10_000];

const addresses = (key: string, pool: string): Readonly<Record<string, string>> => ({
  board: '/',
  'board, a search': '/?q=lock-00042',
  lock: `/lock?key=${encodeURIComponent(key)}`,
  semaphore: `/semaphore?prefix=${encodeURIComponent(pool)}`,
  sessions: '/sessions',
  findings: '/findings',
  graph: '/graph',
  frozen: '/?frozen',
  'no such page': '/nowhere',
  'sign-in': '/login',
  snapshot: '/api/v1/snapshot',
  'snapshot of a prefix': '/api/v1/snapshot?prefix=load/lock-0004',
  'findings as JSON': '/api/v1/findings',
  audit: '/api/v1/audit?format=jsonl',
  openapi: '/api/v1/openapi',
  metrics: '/metrics',
  session: '/api/v1/session',
});

interface Answer {
  readonly status: number;
  readonly bytes: number;
}

function ask(port: number, path: string, localAddress = '127.0.0.2'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, localAddress, agent: false }, (answer) => {
      let size = 0;
      answer.on('data', (part: Buffer) => {
        size += part.length;
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes: size }));
    })
      .on('error', reject)
      .end();
  });
}

/** Another person's waits while `run` runs. */
async function waitsDuring(stage: BenchStage, port: number, run: () => Promise<unknown>): Promise<number[]> {
  const other = fork(stage, 'bystander.mjs');
  const heard = () =>
    new Promise<{ waits?: number[]; failed?: string }>((resolve) => other.once('message', resolve as never));
  const began = heard();
  other.send({ begin: { port, path: '/api/v1/session', localAddress: '127.0.0.9' } });
  const first = await began;
  if (first.failed !== undefined) throw new Error(first.failed);
  await run();
  const said = heard();
  other.send({});
  const { waits, failed } = await said;
  other.kill();
  if (waits === undefined) throw new Error(failed);
  return waits;
}

async function measure(
  stage: BenchStage,
  {
    port,
    server,
    what,
    path,
    locks,
  }: { port: number; server: Weighed; what: string; path: string; locks: number },
): Promise<Figure[]> {
  await ask(port, path);
  const beforeMs = server.cpuMs();
  let size = 0;
  for (let n = 0; n < alone; n += 1) size = (await ask(port, path)).bytes;
  const cpuMs = (server.cpuMs() - beforeMs) / alone;
  const answers: Answer[] = [];
  const from = performance.now();
  const fromCpu = server.cpuMs();
  const waits = await waitsDuring(stage, port, async () => {
    answers.push(...(await Promise.all(Array.from({ length: atOnce }, () => ask(port, path)))));
  });
  const turned = answers.filter(({ status }) => status === 429).length;
  const name = `${what}, ${locks.toLocaleString('en')} locks`;
  stage.say(
    `${name}: ${bytes(size)}, ${ms(cpuMs)}; ${atOnce} at once ${ms(performance.now() - from)} (${ms(server.cpuMs() - fromCpu)} of processor), ${turned} turned away; another person ${ms(quantile(waits, 0.5))} / ${ms(Math.max(...waits))} of ${waits.length}`,
  );
  return [
    plainFigure(`${name}: bytes`, { ours: size, compared: null, show: bytes }),
    plainFigure(`${name}: processor time`, { ours: cpuMs, compared: null, show: ms }),
    noMoreThan(`${name}: longest wait of another person`, {
      ours: Math.max(...waits),
      compared: null,
      show: ms,
      max: waitMaxMs,
    }),
  ];
}

async function world(stage: BenchStage, locks: number): Promise<Figure[]> {
  const consul = await startConsul();
  const plain = plainHttp(consul.address);
  stage.defer(plain.close);
  const made = await furnish(plain, { prefix: 'load/', locks, semaphores: 50 });
  const scales = createScales();
  stage.defer(scales.remove);
  const signalbox = await startServer({ consulAddress: consul.address, env: scales.env });
  stage.defer(signalbox.stop);
  const port = Number(new URL(signalbox.baseUrl).port);
  const figures: Figure[] = [];
  const server = scales.process();
  for (const [what, path] of Object.entries(addresses(made.locks[42]?.key ?? '', made.semaphores[1] ?? '')))
    figures.push(...(await measure(stage, { port, server, what, path, locks })));
  await signalbox.stop();
  await consul.stop();
  return figures;
}

export const bench: Bench = {
  title: 'Cost: what each address takes, and another person meanwhile',
  about: `Two worlds, with ${sizes.map((n) => n.toLocaleString('en')).join(' and ')} held locks and 50 semaphores. Each address is asked ${alone} times for its bytes and the processor time of the server, all threads, and then ${atOnce} times at once by one client. Meanwhile another client, in a process and at an address of its own, asks for \`/api/v1/session\` again and again: the longest that it waits.`,
  excluded: 'One answer of each address before those that count.',
  run: async (stage) => {
    const figures: Figure[] = [];
    for (const locks of sizes) figures.push(...(await world(stage, locks)));
    return { compared: 'nothing', figures };
  },
};
