/** A very large store beside a quarter of it: the server's cost of one change, and the delay at the client. */
import { pause } from '@/lib/providers/consul/client/clock';
import { writeAs } from './crowd';
import { atMost, type Bench, type BenchStage, bytes, type Figure, ms, plainFigure, quantile } from './figure';
import { furnish } from './furnished';
import { plainHttp } from './plain';
import { type Watched, wakeOf, watched } from './watched';

const whole = { locks: 200_000, semaphores: 1_000, members: 5_000 };
const quarter = { locks: 50_000, semaphores: 250, members: 1_250 };
const holders = 50;
/** Enough that a look of V8 through the whole heap, a second of processor time, is not the figure of its window. */
const rounds = 10;
const changesEach = 12;
/** Longer than a watch's rest after a partial read, so that each change finds it waiting. */
const everyMs = 400;
/** At rest a server takes some 3 % of a core. The history pauses for up to 3 s between two writes. */
const restShare = 0.08;
const restLookMs = 2_000;
const quietLooks = 3;
const restWithinMs = 300_000;
const prefix = 'large/';
/** The client's prefix: a thousand locks of either store. */
const part = `${prefix}lock-00`;

const startWorld = (stage: BenchStage, { locks, semaphores, members }: typeof whole) =>
  watched(
    (plain) => furnish(plain, { prefix, locks, semaphores, holders, waiters: 0, members }),
    stage,
    part,
  );

/** Kinds of change. The next of its kind undoes each, and each has its own lock. */
const kinds = {
  'the value of a lock': (world: Watched, at: number) =>
    writeAs(world.plain, world.lockAt(at), `{"n":${at}}`),
  'the holder of a lock': async (world: Watched, at: number) => {
    const lock = world.lockAt(at);
    await writeAs(world.plain, lock, 'free', 'release');
  },
} as const;
type Kind = keyof typeof kinds;

interface Costs {
  /** From a waiting plain client's answer to the patch. */
  readonly tookMs: number[];
  /** Processor time of all the server's threads over the windows. */
  cpuMs: number;
  windowMs: number;
  changes: number;
}

/** A window of changes, one after the other. */
async function changed(world: Watched, kind: Kind, from: number, costs: Costs, stage: BenchStage) {
  const wakes = plainHttp(world.address);
  stage.defer(wakes.close);
  const server = world.scales.process();
  const [cpuMs, atMs] = [server.cpuMs(), performance.now()];
  for (let n = 0; n < changesEach; n += 1) {
    const lock = world.lockAt(from + n);
    const wake = await wakeOf(wakes, lock.key);
    await pause(everyMs);
    wake.mustWait();
    const arrived = world.seen.of(lock.key);
    await kinds[kind](world, from + n);
    const [patchMs, wokeMs] = await Promise.all([arrived, wake.woken]);
    costs.tookMs.push(patchMs - wokeMs);
  }
  costs.cpuMs += server.cpuMs() - cpuMs;
  costs.windowMs += performance.now() - atMs;
  costs.changes += changesEach;
  wakes.close();
}

/** An equal window without any change. */
async function idled(world: Watched, forMs: number): Promise<number> {
  const server = world.scales.process();
  const cpuMs = server.cpuMs();
  await pause(forMs);
  return (server.cpuMs() - cpuMs) / forMs;
}

/**
 * Waits until the server is at rest: the history first writes the whole world down, which takes most of a minute, and
 * would fall into some windows of changes and not into others.
 */
async function atRest(world: Watched): Promise<void> {
  const givenUpMs = performance.now() + restWithinMs;
  for (let quiet = 0; quiet < quietLooks; ) {
    if (performance.now() > givenUpMs) throw new Error('The server did not come to rest.');
    quiet = (await idled(world, restLookMs)) < restShare ? quiet + 1 : 0;
  }
}

async function measure(stage: BenchStage, large: Watched, small: Watched) {
  const none = (): Costs => ({ tookMs: [], cpuMs: 0, windowMs: 0, changes: 0 });
  const figures: Figure[] = [];
  const idle = { large: [] as number[], small: [] as number[] };
  let from = 10;
  const all = (Object.keys(kinds) as Kind[]).map((kind) => ({ kind, large: none(), small: none() }));
  for (let round = -1; round < rounds; round += 1) {
    for (const one of all) {
      // The first round runs cold code.
      const [mine, theirs] = round < 0 ? [none(), none()] : [one.large, one.small];
      await changed(large, one.kind, from, mine, stage);
      await changed(small, one.kind, from, theirs, stage);
      from += changesEach;
    }
    idle.large.push(await idled(large, 4_000));
    idle.small.push(await idled(small, 4_000));
  }
  const rest = (list: readonly number[]) => quantile(list, 0.5);
  for (const { kind, ...one } of all) {
    const cost = (of: Costs, idleShare: number) => (of.cpuMs - idleShare * of.windowMs) / of.changes;
    const [ours, compared] = [cost(one.large, rest(idle.large)), cost(one.small, rest(idle.small))];
    const took = (q: number) => ({
      ours: quantile(one.large.tookMs, q),
      compared: quantile(one.small.tookMs, q),
      show: ms,
    });
    stage.say(`${kind}: ${ms(ours)} beside ${ms(compared)} of processor time`);
    figures.push(
      atMost(`${kind}: processor time of the server for one change`, { ours, compared, max: 1.5, show: ms }),
      atMost(`${kind}: wake to patch, median`, { ...took(0.5), max: 1.5 }),
      plainFigure(`${kind}: the same, p95`, took(0.95)),
    );
  }
  const share = (value: number) => `${(100 * value).toFixed(1)} % of a core`;
  figures.push(
    plainFigure('processor time of the server while nothing changes', {
      ours: rest(idle.large),
      compared: rest(idle.small),
      show: share,
    }),
  );
  const memory = {
    large: await large.scales.process().memory(),
    small: await small.scales.process().memory(),
  };
  figures.push(
    plainFigure('memory that is held', { ours: memory.large.held, compared: memory.small.held, show: bytes }),
    plainFigure('memory of the process', {
      ours: memory.large.resident,
      compared: memory.small.resident,
      show: bytes,
    }),
  );
  return figures;
}

async function run(stage: BenchStage) {
  const fromMs = performance.now();
  const small = await startWorld(stage, quarter);
  stage.say(`the quarter is there after ${ms(performance.now() - fromMs)}`);
  const large = await startWorld(stage, whole);
  stage.say(`the whole is there after ${ms(performance.now() - fromMs)}`);
  for (const world of [small, large]) await atRest(world);
  stage.say(`both are at rest after ${ms(performance.now() - fromMs)}`);
  const figures = await measure(stage, large, small);
  await large.end();
  await small.end();
  return { compared: 'a quarter of it', figures };
}

const count = ({ locks, semaphores }: typeof whole) =>
  `${locks.toLocaleString('en')} locks and ${semaphores.toLocaleString('en')} semaphores of ${holders} holders`;

export const bench: Bench = {
  title: 'Large: two hundred thousand locks',
  about: `Two consoles, each on its own Consul: ${count(whole)}, and ${count(quarter)}; ten locks to a session, ten slots to another one. A client follows the events of 1,000 of the locks (with a prefix), and those are written, so that no snapshot of the whole is in the figures. In turns, ${changesEach} changes at a time, ${rounds} times: another value of a lock that is held, and the release of a lock. A blocking query of a plain client for the key has waited since ${everyMs} ms before; its answer is the wake. Processor time is that of all threads of the server over the changes, without what as long a time takes in which nothing changes.`,
  excluded:
    'Filling the stores; the first snapshots; the first write of the whole world to the history; the first round of changes, which finds cold code.',
  run,
};
