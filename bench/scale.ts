/** What a change costs among many rows, what they weigh, and how old a change is when it is seen. */
import { startSignalbox } from '@/e2e/support/signalbox';
import { pause } from '@/lib/consul/clock';
import type { Patch } from '@/lib/domain/change';
import { startConsul } from '@/test/support/consul';
import { crowd, writeAs } from './crowd';
import { openEvents } from './events';
import { atMost, type Bench, type BenchStage, bytes, type Figure, ms, quantile } from './figure';
import { plainHttp } from './plain';
import { createScales } from './weighed';

const sizes = [1_000, 10_000, 50_000];
const fewRows = 100;
const samples = 40;
const warmUp = 8;
/** Longer than a watch rests after a read of a part, so that each write finds it waiting. */
const spacingMs = 250;
const perSecond = 5;
const streamMs = 15_000;
const giveUpMs = 20_000;
const firstMs = 5_000;
const firstTriesMax = 24;

/** Expects the patch that has the lock `key`; one at a time for each key. */
function arrivals() {
  const waiting = new Map<string, (atMs: number) => void>();
  return {
    onPatch: (data: string, atMs: number) => {
      const { put, edit } = JSON.parse(data) as Patch;
      for (const { key } of put.locks ?? []) waiting.get(key)?.(atMs);
      for (const { of } of edit.locks ?? []) waiting.get(of)?.(atMs);
    },
    of: (key: string, withinMs = giveUpMs) =>
      new Promise<number>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`No patch had ${key}.`)), withinMs);
        waiting.set(key, (atMs) => {
          clearTimeout(timer);
          waiting.delete(key);
          resolve(atMs);
        });
      }),
  };
}

/** A store of so many rows, a server in front of it, and one client that follows its events. */
async function watched(size: number, { defer }: BenchStage) {
  const consul = await startConsul();
  const plain = plainHttp(consul.address);
  defer(plain.close);
  const { locks, sessions } = await crowd(plain, 'scale/', size);
  const scales = createScales();
  defer(scales.remove);
  const signalbox = await startSignalbox({ consulAddress: consul.address, env: { ...scales.env } });
  const seen = arrivals();
  const events = await openEvents(signalbox.baseUrl, ({ event, data, atMs }) => {
    if (event === 'patch') seen.onPatch(data, atMs);
  });
  const lockAt = (i: number) => {
    const lock = locks[(i * 7919) % locks.length];
    if (lock === undefined) throw new Error('There are no locks.');
    return lock;
  };
  // A large world comes as a snapshot, of a hundred megabytes at worst; it is all there when a change comes as a patch.
  for (let tries = 1; ; tries += 1) {
    const first = seen.of(lockAt(0).key, firstMs).catch((error: unknown) => {
      if (tries === firstTriesMax) throw error;
      return null;
    });
    await writeAs(plain, lockAt(0), `{"n":"first ${tries}"}`);
    if ((await first) !== null) break;
  }

  return {
    plain,
    sessions,
    scales,
    seen,
    lockAt,
    end: async () => {
      events.close();
      await signalbox.stop();
      await consul.stop();
    },
  };
}

interface Memory {
  readonly held: number;
  readonly resident: number;
  /** Bytes of the rows as Consul sends them. */
  readonly json: number;
}

/**
 * What the server weighs with so few rows that they do not matter, after as many writes: then it has loaded and compiled
 * whatever the others have.
 */
async function weighFew(stage: BenchStage): Promise<Memory> {
  const { plain, scales, seen, lockAt, end } = await watched(fewRows, stage);
  for (let i = 0; i < samples + warmUp; i += 1) {
    const lock = lockAt(i + 1);
    const arrived = seen.of(lock.key);
    await writeAs(plain, lock, `{"n":${i}}`);
    await arrived;
  }
  const { body } = await plain.request('GET', '/v1/kv/scale/?recurse');
  const memory = await scales.process().memory();
  await end();
  return { ...memory, json: body.length };
}

async function measure(
  size: number,
  few: Memory,
  stage: BenchStage,
): Promise<{ figures: Figure[]; note: string }> {
  const name = `${size.toLocaleString('en')} rows`;
  const { say } = stage;
  const { plain, sessions, scales, seen, lockAt, end } = await watched(size, stage);
  const read = async () => {
    const beganMs = performance.now();
    const { body } = await plain.request('GET', '/v1/kv/scale/?recurse');
    if ((JSON.parse(body.toString('utf8')) as unknown[]).length !== size)
      throw new Error('Rows are missing.');
    return { tookMs: performance.now() - beganMs, bytes: body.length };
  };
  const ours: number[] = [];
  const theirs: number[] = [];
  let json = 0;
  for (let i = 0; i < samples + warmUp; i += 1) {
    await pause(spacingMs);
    const lock = lockAt(i + 1);
    const arrived = seen.of(lock.key);
    const beganMs = performance.now();
    await writeAs(plain, lock, `{"n":${i}}`);
    const tookMs = (await arrived) - beganMs;
    await pause(spacingMs);
    const bare = await read();
    json = bare.bytes;
    if (i < warmUp) continue;
    ours.push(tookMs);
    theirs.push(bare.tookMs);
  }
  const { held, resident } = await scales.process().memory();

  const ages: number[] = [];
  const underWay: Promise<unknown>[] = [];
  const endMs = performance.now() + streamMs;
  for (let i = 100; performance.now() < endMs; i += 1) {
    const lock = lockAt(i);
    const arrived = seen.of(lock.key);
    // Writes come at any time, not in step with anything.
    await pause((2 * Math.random() * 1_000) / perSecond);
    await writeAs(plain, lock, `{"m":${i}}`);
    const writtenMs = performance.now();
    underWay.push(arrived.then((atMs) => ages.push(Math.max(0, atMs - writtenMs))));
  }
  await Promise.all(underWay);
  say(
    `${name}: ${ms(quantile(ours, 0.5))} beside ${ms(quantile(theirs, 0.5))}, age ${ms(quantile(ages, 0.5))}`,
  );
  await end();

  const age = quantile(ages, 0.5);
  const timed = (what: string, q: number, goal: boolean) => {
    const figure = atMost(`${name}: write to patch, ${what}`, {
      ours: quantile(ours, q),
      compared: quantile(theirs, q),
      max: 1.5,
      show: ms,
    });
    return goal ? figure : { ...figure, goal: null, met: null };
  };
  return {
    figures: [
      timed('median', 0.5, true),
      timed('p95', 0.95, false),
      atMost(`${name}: memory that is held`, {
        ours: held - few.held,
        compared: json - few.json,
        max: 6,
        show: bytes,
      }),
      {
        ...atMost(`${name}: memory of the process`, {
          ours: resident - few.resident,
          compared: json - few.json,
          max: 6,
          show: bytes,
        }),
        ...(size < 10_000 ? { goal: null, met: null } : {}),
      },
      {
        what: `${name}: age of a change when it is seen, median, ${perSecond} writes/s`,
        ours: ms(age),
        compared: ms(quantile(theirs, 0.5)),
        ratio: age / quantile(theirs, 0.5),
        goal: size === 50_000 ? '<= 50 ms' : null,
        met: size === 50_000 ? age <= 50 : null,
      },
      {
        what: `${name}: the same, p99`,
        ours: ms(quantile(ages, 0.99)),
        compared: ms(quantile(theirs, 0.99)),
        ratio: quantile(ages, 0.99) / quantile(theirs, 0.99),
        goal: null,
        met: null,
      },
    ],
    note: `${name}: ${bytes(json)} of JSON, ${sessions.toLocaleString('en')} sessions.`,
  };
}

export const bench: Bench = {
  title: 'Scale: one change among many rows',
  about: `Half of the rows are locks, an eighth belong to semaphores, the others to neither. ${samples} writes, each to another lock, one after the other: from sending the \`PUT\` to the patch at a client of \`/api/v1/events\`. Between every two, a read of all rows by \`node:http\` (\`?recurse\`) with \`JSON.parse\` and nothing else. Memory is what the server has more than one with ${fewRows} rows that saw as many writes, after its garbage was collected (held: heap and buffers), beside the bytes of that JSON. Then writes at random times for ${streamMs / 1000} s: how long after the answer to the \`PUT\` the patch came.`,
  run: async (stage) => {
    const few = await weighFew(stage);
    const figures: Figure[] = [];
    const notes: string[] = [];
    for (const size of sizes) {
      const one = await measure(size, few, stage);
      figures.push(...one.figures);
      notes.push(one.note);
    }
    return { compared: 'a bare read of all rows', figures, notes };
  },
};
