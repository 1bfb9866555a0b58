/**
 * A provider's watch beside a bare subscriber of the same server: from a write to the published change, and with many
 * keys.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '@/lib/domain/model';
import type { Provider } from '@/lib/domain/seam/provider';
import { find } from '@/lib/domain/sorted';
import { inProject } from '@/scripts/project.mjs';
import { atMost, type BenchStage, bytes, type Figure, ms, noMoreThan, plainFigure, quantile } from './figure';
import { ofMachine } from './page-clock';
import { within } from './within';

/** Locks on their own server. */
export interface Ground {
  provider(): Provider;
  /** The program of the bare subscriber in this folder, and its arguments. */
  readonly bare: readonly [program: string, ...args: string[]];
  /** All locks, each held. */
  readonly locks: readonly string[];
  /** Keys or nodes behind the locks. */
  readonly keys: number;
  set(lock: string, held: boolean): Promise<unknown>;
}

/** The same goals as for Consul's wake. */
const goals = { median: 1.5, p99: 2 };
const liveMax = 2;
const memoryMax = 6;
const warmUp = 40;
/** The random time between two writes, longer than a watch's rest, so that both sides wait again. */
const spacingMs = { min: 110, max: 170 };
const giveUpMs = 20_000;
const settleMs = 2_000;
export const writes = { few: 400, many: 200 };
/** The number of whole reads, by each side in turn. */
export const starts = 3;

const isHeld = ({ locks }: World, lock: string) => find(locks, lock, ({ key }) => key)?.state === 'held';

/** The first moment at which `shows` is true of an arrival. */
function firstSight<T>() {
  let look: { shows: (what: T) => boolean; found: (atMs: number) => void } | null = null;
  return {
    comes: (what: T, atMs: number) => {
      if (look?.shows(what) === true) look.found(atMs);
    },
    of: (shows: (what: T) => boolean) =>
      within(
        'the change',
        new Promise<number>((found) => {
          look = { shows, found };
        }),
        giveUpMs,
      ),
  };
}

interface Watch {
  readonly tookMs: number;
  readonly sight: ReturnType<typeof firstSight<World>>;
  world(): World;
  stop(): Promise<void>;
}

/** Resolves once the watch is live. */
async function startWatch(ground: Ground): Promise<Watch> {
  const end = new AbortController();
  const sight = firstSight<World>();
  let last: World | null = null;
  const beganMs = performance.now();
  const provider = ground.provider();
  let isLive: (atMs: number) => void = () => {};
  const live = new Promise<number>((resolve) => {
    isLive = resolve;
  });
  const ended = provider.watch(
    {
      world: (world) => {
        const atMs = performance.now();
        last = world;
        sight.comes(world, atMs);
      },
      source: ({ state }) => state === 'live' && isLive(performance.now()),
    },
    end.signal,
  );
  const tookMs = (await within('the watch is live', live, 120_000)) - beganMs;
  const world = () => {
    if (last === null) throw new Error('It is live without a world.');
    return last;
  };
  const missing = ground.locks.filter((lock) => !isHeld(world(), lock)).length;
  if (missing > 0) throw new Error(`${missing} locks are not shown.`);
  return {
    tookMs,
    sight,
    world,
    stop: async () => {
      end.abort();
      await ended;
      provider.close();
    },
  };
}

interface Read {
  readonly tookMs: number;
  readonly keys: number;
  readonly bytes: number;
}

async function startBare({ bare: [program, ...args] }: Ground, { defer }: BenchStage) {
  const child: ChildProcess = fork(inProject('quality/bench', program), args);
  defer(() => child.kill('SIGKILL'));
  const sight = firstSight<string>();
  let answered: (read: Read) => void = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    child.on('exit', () => reject(new Error(`${program} has ended; why stands above.`)));
    child.on('message', (said: { ready?: true; read?: Read; seenNs?: string; what?: unknown }) => {
      if (said.ready) resolve();
      if (said.read !== undefined) answered(said.read);
      if (said.seenNs !== undefined) sight.comes(JSON.stringify(said.what), ofMachine(said.seenNs));
    });
  });
  await within('the bare subscriber is ready', ready);
  return {
    sight,
    readAll: () => {
      const read = new Promise<Read>((resolve) => {
        answered = resolve;
      });
      child.send('read');
      return within('a bare read', read, 120_000);
    },
  };
}

interface Sample {
  readonly oursMs: number;
  readonly bareMs: number;
}

/** Each write goes to another lock. Half of them take it, and half release it. */
async function sampled(
  ground: Ground,
  { watch, bare }: { watch: Watch; bare: Awaited<ReturnType<typeof startBare>> },
  count: number,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (let i = 0; i < count + warmUp; i += 1) {
    await pause(spacingMs.min + Math.random() * (spacingMs.max - spacingMs.min));
    // About half of all locks are released first, and retaken in the same order.
    const turn = Math.floor(ground.locks.length / 2);
    const lock = ground.locks[(i % turn) * 2] ?? '';
    const held = Math.floor(i / turn) % 2 === 1;
    const seen = Promise.all([
      watch.sight.of((world) => isHeld(world, lock) === held),
      bare.sight.of((what) => what.includes(lock)),
    ]);
    const beganMs = performance.now();
    const written = ground.set(lock, held);
    const [oursMs, bareMs] = await seen;
    await written;
    if (i >= warmUp) samples.push({ oursMs: oursMs - beganMs, bareMs: bareMs - beganMs });
  }
  return samples;
}

function timesOf(what: string, samples: readonly Sample[]): Figure[] {
  const of = (q: number, max: number, name: string) =>
    atMost(`${what}: ${name}`, {
      ours: quantile(
        samples.map(({ oursMs }) => oursMs),
        q,
      ),
      compared: quantile(
        samples.map(({ bareMs }) => bareMs),
        q,
      ),
      max,
      show: ms,
    });
  return [of(0.5, goals.median, 'from a write to the change, median'), of(0.99, goals.p99, 'the same, p99')];
}

export async function wakes(ground: Ground, stage: BenchStage): Promise<Figure[]> {
  const bare = await startBare(ground, stage);
  const watch = await startWatch(ground);
  const samples = await sampled(ground, { watch, bare }, writes.few);
  await watch.stop();
  return timesOf(`${ground.locks.length.toLocaleString('en')} locks`, samples);
}

const held = () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

export async function many(ground: Ground, stage: BenchStage): Promise<Figure[]> {
  const what = `${ground.keys.toLocaleString('en')} keys`;
  const bare = await startBare(ground, stage);
  const [ours, theirs]: [number[], Read[]] = [[], []];
  const before = held();
  let watch: Watch | null = null;
  for (let n = 0; n < starts; n += 1) {
    await watch?.stop();
    theirs.push(await bare.readAll());
    watch = await startWatch(ground);
    ours.push(watch.tookMs);
    stage.say(`${what}: live after ${ms(watch.tookMs)}, bare ${ms(theirs.at(-1)?.tookMs ?? 0)}`);
  }
  if (watch === null) throw new Error('Nothing was watched.');
  const short = theirs.find(({ keys }) => keys < ground.keys);
  if (short !== undefined) throw new Error(`The bare client read ${short.keys} keys.`);
  await pause(settleMs);
  const keeps = held() - before;
  const json = Buffer.byteLength(JSON.stringify(watch.world()));
  const samples = await sampled(ground, { watch, bare }, writes.many);
  await watch.stop();
  return [
    atMost(`${what}: until the watch is live, median of ${starts}`, {
      ours: quantile(ours, 0.5),
      compared: quantile(
        theirs.map(({ tookMs }) => tookMs),
        0.5,
      ),
      max: liveMax,
      show: ms,
    }),
    ...timesOf(what, samples),
    noMoreThan(`${what}: memory kept, beside the world as JSON`, {
      ours: keeps,
      compared: json,
      show: bytes,
      max: memoryMax * json,
      text: `<= ${memoryMax}x`,
    }),
    plainFigure(`${what}: memory kept, beside the bytes of what is stored`, {
      ours: keeps,
      compared: theirs[0]?.bytes ?? 0,
      show: bytes,
    }),
  ];
}
