/** The cost of a change among many rows, their memory, and the age of a change when it shows. */
import { pause } from '@/lib/providers/consul/client/clock';
import { crowd, writeAs } from './crowd';
import {
  atMost,
  type Bench,
  type BenchStage,
  bytes,
  type Figure,
  goalOf,
  ms,
  noMoreThan,
  plainFigure,
  quantile,
  times,
} from './figure';
import { plainHttp } from './plain';
import { type Watched, wakeOf, watched } from './watched';
import type { Weighed } from './weighed';

const sizes = [1_000, 10_000, 50_000];
/** The fewest rows that are read in parts. */
const partedRows = 600;
const fewRows = 100;
const samples = 40;
const warmUp = 8;
/** Longer than a watch's rest after a partial read, so that each write finds it waiting. */
const spacingMs = 250;
const perSecond = 5;
const streamMs = 15_000;
/** Servers of `partedRows` to measure. Their difference is the chance in a process's memory. */
const partedServers = 3;
/**
 * The samples of a process. The first ones do not count, because V8 returns its young memory, 15 MB, some seconds after
 * the last write.
 */
const weighings = { settling: 8, times: 5, everyMs: 1_000 };

/** The figure without its goal. */
const told = (figure: Figure): Figure => ({ ...figure, goal: null });

interface Memory {
  readonly held: number;
  readonly resident: number;
  /** Bytes of the rows as Consul sends them. */
  readonly json: number;
}

/** Medians of several weighings. */
async function memoryOf(process: Weighed): Promise<Pick<Memory, 'held' | 'resident'>> {
  const all: Pick<Memory, 'held' | 'resident'>[] = [];
  for (let n = 0; n < weighings.settling + weighings.times; n += 1) {
    await pause(weighings.everyMs);
    const weighed = await process.memory();
    if (n >= weighings.settling) all.push(weighed);
  }
  const median = (what: 'held' | 'resident') =>
    quantile(
      all.map((one) => one[what]),
      0.5,
    );
  return { held: median('held'), resident: median('resident') };
}

/** One write among the rows: when it was sent, when it woke a plain client, and when its patch came. */
interface Sample {
  readonly beganMs: number;
  readonly wokeMs: number;
  readonly patchMs: number;
  /** The time of a bare read of all rows after it. */
  readonly bareMs: number;
}

/**
 * Writes among the rows, one after the other, at the same pace in every world, because a server's memory depends on its
 * past.
 */
async function sampled(size: number, { plain, address, seen, lockAt }: Watched, { defer }: BenchStage) {
  const wakes = plainHttp(address);
  defer(wakes.close);
  const read = async () => {
    const beganMs = performance.now();
    const { body } = await plain.request('GET', '/v1/kv/scale/?recurse');
    if ((JSON.parse(body.toString('utf8')) as unknown[]).length !== size)
      throw new Error('Rows are missing.');
    return { tookMs: performance.now() - beganMs, bytes: body.length };
  };
  const all: Sample[] = [];
  let json = 0;
  for (let i = 0; i < samples + warmUp; i += 1) {
    const lock = lockAt(i + 1);
    const wake = await wakeOf(wakes, lock.key);
    await pause(spacingMs);
    wake.mustWait();
    const arrived = seen.of(lock.key);
    const beganMs = performance.now();
    await writeAs(plain, lock, `{"n":${i}}`);
    const [patchMs, wokeMs] = await Promise.all([arrived, wake.woken]);
    await pause(spacingMs);
    const bare = await read();
    json = bare.bytes;
    if (i >= warmUp) all.push({ beganMs, wokeMs, patchMs, bareMs: bare.tookMs });
  }
  return { all, json };
}

/** A server's memory with few rows after as many writes, when it has compiled the same code as the others. */
async function weigh(rows: number, stage: BenchStage): Promise<Memory> {
  const world = await watched((plain) => crowd(plain, 'scale/', rows), stage);
  const { json } = await sampled(rows, world, stage);
  const memory = await memoryOf(world.scales.process());
  await world.end();
  return { ...memory, json };
}

/** Several servers with the same number of rows. */
interface Weights {
  /** The median of each figure. */
  readonly middle: Memory;
  /** The largest difference of two servers. */
  readonly noise: Pick<Memory, 'held' | 'resident'>;
}

function weightsOf(all: readonly Memory[]): Weights {
  const by = (what: keyof Memory) => all.map((one) => one[what]);
  const middle = (what: keyof Memory) => quantile(by(what), 0.5);
  const noise = (what: keyof Memory) => Math.max(...by(what)) - Math.min(...by(what));
  return {
    middle: { held: middle('held'), resident: middle('resident'), json: middle('json') },
    noise: { held: noise('held'), resident: noise('resident') },
  };
}

/** The goal counts as met or missed only by more than `noise`. */
function ofRows(what: string, which: 'held' | 'resident', one: Memory, { middle, noise }: Weights): Figure {
  const [ours, compared, max] = [one[which] - middle[which], one.json - middle.json, 6];
  const isClear = ours > 0 && Math.abs(ours - max * compared) > noise[which];
  return {
    what,
    ours: `${ours < 0 ? '-' : ''}${bytes(Math.abs(ours))} ± ${bytes(noise[which])}${isClear ? '' : ', which tells nothing'}`,
    compared: bytes(compared),
    ratio: isClear ? ours / compared : null,
    goal: isClear ? goalOf(ours / compared, '<=', max, { show: times, text: `<= ${max}x` }) : null,
  };
}

async function measure(
  size: number,
  few: Weights,
  stage: BenchStage,
): Promise<{ figures: Figure[]; notes: string[] }> {
  const name = `${size.toLocaleString('en')} rows`;
  const { say } = stage;
  const world = await watched((plain) => crowd(plain, 'scale/', size), stage);
  const { plain, furnished, scales, seen, lockAt, end } = world;
  const { all: measured, json } = await sampled(size, world, stage);
  const memory = { ...(await memoryOf(scales.process())), json };

  const ages: number[] = [];
  const underWay: Promise<unknown>[] = [];
  const endMs = performance.now() + streamMs;
  for (let i = 100; performance.now() < endMs; i += 1) {
    const lock = lockAt(i);
    const arrived = seen.of(lock.key);
    // Writes come at random times.
    await pause((2 * Math.random() * 1_000) / perSecond);
    await writeAs(plain, lock, `{"m":${i}}`);
    const writtenMs = performance.now();
    underWay.push(arrived.then((atMs) => ages.push(Math.max(0, atMs - writtenMs))));
  }
  await Promise.all(underWay);
  await end();

  const theirs = measured.map(({ bareMs }) => bareMs);
  const fromWake = measured.map(({ wokeMs, patchMs }) => patchMs - wokeMs);
  const fromWrite = measured.map(({ beganMs, patchMs }) => patchMs - beganMs);
  const wakeMs = quantile(
    measured.map(({ beganMs, wokeMs }) => wokeMs - beganMs),
    0.5,
  );
  const earlier = fromWake.filter((tookMs) => tookMs <= 0).length;
  say(
    `${name}: ${ms(quantile(fromWake, 0.5))} after ${ms(wakeMs)} beside ${ms(quantile(theirs, 0.5))}, age ${ms(quantile(ages, 0.5))}`,
  );
  const timed = (what: string, ours: readonly number[], q: number) =>
    atMost(`${name}: ${what}`, {
      ours: quantile(ours, q),
      compared: quantile(theirs, q),
      max: 1.5,
      show: ms,
    });
  const aged = `${name}: age of a change when it is seen, median, ${perSecond} writes/s`;
  const aging = (q: number) => ({ ours: quantile(ages, q), compared: quantile(theirs, q), show: ms });
  const ofProcess = ofRows(`${name}: memory of the process`, 'resident', memory, few);
  return {
    figures: [
      timed('wake to patch, median', fromWake, 0.5),
      told(timed('the same, p95', fromWake, 0.95)),
      told(timed('write to patch, median', fromWrite, 0.5)),
      told(timed('the same, p95', fromWrite, 0.95)),
      ofRows(`${name}: memory that is held`, 'held', memory, few),
      size < 10_000 ? told(ofProcess) : ofProcess,
      size === 50_000 ? noMoreThan(aged, { ...aging(0.5), max: 50 }) : plainFigure(aged, aging(0.5)),
      plainFigure(`${name}: the same, p99`, aging(0.99)),
    ],
    notes: [
      `${name}: ${bytes(json)} of JSON, ${furnished.sessions.toLocaleString('en')} sessions. From sending the \`PUT\` to its wake ${ms(wakeMs)} (median); ${earlier === 0 ? 'no patch was there before it' : `${earlier} of ${samples} patches were there before it, and count as less than nothing`}.`,
    ],
  };
}

/** The memory of the code that reads rows in parts, with the rows that start it. */
const ofParts = (few: Memory, parted: Memory): Figure =>
  told(
    atMost(`${partedRows} rows: memory that is held, with the machinery of parts`, {
      ours: parted.held - few.held,
      compared: parted.json - few.json,
      max: 6,
      show: bytes,
    }),
  );

export const bench: Bench = {
  title: 'Scale: one change among many rows',
  about: `Half of the rows are locks, an eighth belong to semaphores, the others to neither. ${samples} writes, each to another lock, one after the other. A blocking query of a plain client (\`node:http\`, on a connection of its own) for the one key that is written has waited since ${spacingMs} ms before, and its answer is the wake: from that to the patch at a client of \`/api/v1/events\`; and from sending the \`PUT\`, which has Consul's own write in it. Between every two, a read of all rows by \`node:http\` (\`?recurse\`) with \`JSON.parse\` and nothing else. Memory is what the server has more than one with ${partedRows} rows that saw as many writes, after its garbage was collected, and compiled code with it that does not run at that moment (held: heap and buffers; medians of the last ${weighings.times} of ${weighings.settling + weighings.times} weighings, ${weighings.everyMs / 1000} s apart, and of ${partedServers} such servers), beside the bytes of that JSON; what that one has more than one with ${fewRows} rows stands in the first row. Then writes at random times for ${streamMs / 1000} s: how long after the answer to the \`PUT\` the patch came.`,
  excluded: `${warmUp} writes of each size. Of ${weighings.settling + weighings.times} weighings the first ${weighings.settling}. Compiled code that does not run at that moment.`,
  run: async (stage) => {
    const few = await weigh(fewRows, stage);
    const all: Memory[] = [];
    for (let n = 0; n < partedServers; n += 1) all.push(await weigh(partedRows, stage));
    const parted = weightsOf(all);
    const figures: Figure[] = [ofParts(few, parted.middle)];
    const notes: string[] = [
      `Memory: ± is by how much ${partedServers} servers of the same ${partedRows} rows differed, and no smaller difference can be told: a goal is laid on it only where it is met or missed by more. What is held is the figure of the goal.`,
      'Compiled code that does not run is dropped before each weighing: V8 does so at its own time (`docs/decisions/0032`).',
    ];
    for (const size of sizes) {
      const one = await measure(size, parted, stage);
      figures.push(...one.figures);
      notes.push(...one.notes);
    }
    return { compared: 'a bare read of all rows', figures, notes };
  },
};
