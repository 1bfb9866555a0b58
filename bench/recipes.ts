/** Locks and semaphores that change hands as fast as they can. */
import { setMaxListeners } from 'node:events';
import type { ConsulClient } from '@/lib/consul/client';
import { pause } from '@/lib/consul/clock';
import { Lock } from '@/lib/recipes/lock';
import { Semaphore } from '@/lib/recipes/semaphore';
import { runConsulLock, startConsul, type TestConsul } from '@/test/support/consul';
import { type Bench, type BenchStage, type Figure, ms, quantile } from './figure';
import { goLock, goSemaphore } from './go-recipes';
import { plainHttp } from './plain';

const limit = 2;
/** What a contender does while it holds: with nothing to do nobody would be seen to wait. Alone it holds for no time. */
const workMs = 5;
/** Each side measures so long, in turns. */
const sliceMs = 1_600;
const rounds = 2;
/** Contenders come in and find their places, until as many cycles are over; not counted. */
const warmUpMs = { min: 500, max: 8_000 };
/** Few: each cycle of the command is a process of its own. */
const commands = 4;
const commandsMs = 6_000;

/** One contender: takes it once, and resolves with what gives it back. */
type Take = (signal: AbortSignal) => Promise<() => Promise<void>>;

interface Side {
  readonly take: Take;
  readonly count: { readonly reads: number };
}

interface Measured {
  cycles: number;
  reads: number;
  ms: number;
  /** Of one acquire, those included that were still waiting at the end. */
  longestMs: number;
  /** From asking for a release to the next one's having it, of those who waited. */
  readonly handedMs: number[];
}

const nothingYet = (): Measured => ({ cycles: 0, reads: 0, ms: 0, longestMs: 0, handedMs: [] });

const readNames: ReadonlySet<string> = new Set(['list', 'get', 'sessions', 'session']);

/** A client that counts what it reads. */
function counting(client: ConsulClient): { client: ConsulClient; count: { reads: number } } {
  const count = { reads: 0 };
  const counted = new Proxy(client, {
    get: (target, name, self) => {
      if (readNames.has(String(name))) {
        const call = Reflect.get(target, name, self) as (...rest: unknown[]) => unknown;
        return (...rest: unknown[]) => {
          count.reads += 1;
          return call.apply(target, rest);
        };
      }
      return Reflect.get(target, name, self);
    },
  });
  return { client: counted, count };
}

/** Lets them contend for a while; adds what came of it to `into`. */
async function slice(sides: readonly Side[], into: Measured, holdMs: number): Promise<void> {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  let cycles = 0;
  let measuring = false;
  let freedMs = 0;
  const waiting = new Map<Side, number>();
  const waited = (sinceMs: number) => {
    if (measuring) into.longestMs = Math.max(into.longestMs, performance.now() - sinceMs);
  };
  const running = sides.map(async (side) => {
    while (!stop.signal.aborted) {
      const sinceMs = performance.now();
      waiting.set(side, sinceMs);
      const release = await side.take(stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
        return null;
      });
      waiting.delete(side);
      if (release === null) return;
      waited(sinceMs);
      if (measuring && freedMs > sinceMs) into.handedMs.push(performance.now() - freedMs);
      if (holdMs > 0) await pause(holdMs);
      freedMs = performance.now();
      await release();
      cycles += 1;
    }
  });
  const readsNow = () =>
    [...new Set(sides.map(({ count }) => count))].reduce((sum, { reads }) => sum + reads, 0);
  await pause(warmUpMs.min);
  const warmUntilMs = performance.now() + warmUpMs.max;
  while (cycles < sides.length && performance.now() < warmUntilMs) await pause(20);
  const [fromCycles, fromReads, fromMs] = [cycles, readsNow(), performance.now()];
  measuring = true;
  await pause(sliceMs);
  for (const sinceMs of waiting.values()) waited(sinceMs);
  measuring = false;
  into.cycles += cycles - fromCycles;
  into.reads += readsNow() - fromReads;
  into.ms += performance.now() - fromMs;
  stop.abort();
  await Promise.all(running);
}

type Kind = 'lock' | 'lock, held for no time' | 'lock, a process each' | 'semaphore';

function ours(consul: TestConsul, kind: Kind, name: string, n: number): Side[] {
  const shared = counting(consul.client({ maxPolls: 256, maxCalls: 256 }));
  return Array.from({ length: n }, () => {
    const own = kind === 'lock, a process each' ? counting(consul.client({ maxCalls: 256 })) : shared;
    const recipe =
      kind === 'semaphore'
        ? new Semaphore(own.client, { prefix: name, limit })
        : new Lock(own.client, { key: name });
    return {
      count: own.count,
      take: async (signal) => {
        const held = await recipe.acquire({ signal });
        return () => held.release();
      },
    };
  });
}

function theirs(stage: BenchStage, consul: TestConsul, kind: Kind, name: string, n: number): Side[] {
  const plain = plainHttp(consul.address);
  const end = new AbortController();
  stage.defer(() => {
    end.abort();
    plain.close();
  });
  return Array.from({ length: n }, () => {
    const one =
      kind === 'semaphore'
        ? goSemaphore(plain, { prefix: name, limit }, end.signal)
        : goLock(plain, name, end.signal);
    return { take: one.acquire, count: one.count };
  });
}

const perSecond = ({ cycles, ms }: Measured) => (cycles * 1000) / ms;
const readsPer = ({ cycles, reads }: Measured) => reads / Math.max(1, cycles);
const rate = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} /s`;
const count = (value: number) => value.toFixed(1);

const plan: readonly (readonly [Kind, number])[] = [
  ['lock', 1],
  ['lock', 8],
  ['lock', 64],
  ['lock, held for no time', 64],
  ['lock, a process each', 2],
  ['lock, a process each', 8],
  ['lock, a process each', 64],
  ['semaphore', 1],
  ['semaphore', 8],
  ['semaphore', 64],
];

interface Pair {
  readonly kind: Kind;
  readonly n: number;
  readonly ours: Measured;
  readonly theirs: Measured;
}

function cyclesOf({ kind, n, ours, theirs }: Pair): Figure {
  const [mine, other] = [perSecond(ours), perSecond(theirs)];
  return {
    what: `${kind}: cycles, ${n} contender${n === 1 ? '' : 's'}`,
    ours: rate(mine),
    compared: rate(other),
    ratio: mine / other,
    goal: '>= 1x',
    met: mine >= other,
  };
}

/** How far reads per release may rise from 8 contenders to 64 and still count as not growing: noise, not a herd. */
const flat = 1.25;

function readsOf({ kind, n, ours, theirs }: Pair, fewer: Pair | undefined): Figure {
  const [mine, other] = [readsPer(ours), readsPer(theirs)];
  const met = fewer === undefined || n < 64 || fewer.n === n ? null : mine <= flat * readsPer(fewer.ours);
  return {
    what: `${kind}: reads per release, ${n} contender${n === 1 ? '' : 's'}`,
    ours: count(mine),
    compared: count(other),
    ratio: mine / other,
    goal: met === null ? null : `no more than with 8 (within ${Math.round((flat - 1) * 100)} %)`,
    met,
  };
}

/** From a release to the next holder: with rests there may be nobody awake. */
function handedOf({ kind, n, ours, theirs }: Pair): Figure {
  const [mine, other] = [quantile(ours.handedMs, 0.5), quantile(theirs.handedMs, 0.5)];
  return {
    what: `${kind}: from a release to the next holder, median, ${n} contenders`,
    ours: ms(mine),
    compared: ms(other),
    ratio: mine / other,
    goal: null,
    met: null,
  };
}

function longestOf({ kind, n, ours, theirs }: Pair): Figure {
  return {
    what: `${kind}: longest wait, ${n} contenders`,
    ours: ms(ours.longestMs),
    compared: ms(theirs.longestMs),
    ratio: ours.longestMs / theirs.longestMs,
    goal: null,
    met: null,
  };
}

/**
 * Cycles of real `consul lock` processes, and of ours, in turns. No goal: each cycle of theirs is a process of its own, whose
 * start is most of it, as it is for whoever uses the command. The algorithms are compared above.
 */
async function commandFigure(consul: TestConsul): Promise<Figure> {
  const [mine, theirs] = [nothingYet(), nothingYet()];
  const cycles = async (untilMs: number) => {
    while (performance.now() < untilMs) {
      const code = await runConsulLock(consul, { n: 1, prefix: 'recipes/command', command: 'true' }).exited;
      if (code !== 0) throw new Error(`consul lock ended with ${code}.`);
      theirs.cycles += 1;
    }
  };
  for (let round = 0; round < rounds; round += 1) {
    const beganMs = performance.now();
    await Promise.all(Array.from({ length: commands }, () => cycles(beganMs + commandsMs / rounds)));
    theirs.ms += performance.now() - beganMs;
    await slice(ours(consul, 'lock, a process each', `recipes/beside-command-${round}`, commands), mine, 0);
  }
  return {
    what: `lock: cycles, ${commands} contenders, beside the command \`consul lock\`, which starts a process for each`,
    ours: rate(perSecond(mine)),
    compared: rate(perSecond(theirs)),
    ratio: null,
    goal: null,
    met: null,
  };
}

export const bench: Bench = {
  title: 'Recipes: cycles of acquire and release',
  about: `\`lib/recipes\` beside Go's own algorithm (\`api/lock.go\`, \`api/semaphore.go\`), request by request over bare \`node:http\`: there is no Go compiler in this project. Contenders take it, hold it for ${workMs} ms (one that is alone: for no time), give it back and take it again, for ${(rounds * sliceMs) / 1000} s a side, in turns of ${sliceMs / 1000} s. Semaphores have ${limit} slots. "A process each": every contender has a client of its own, as on machines of their own; otherwise all are in one process. Reads are the queries sent to Consul, blocking ones included, by the releases made meanwhile.`,
  run: async (stage) => {
    const consul = await startConsul({ extraConfig: { limits: { http_max_conns_per_client: 2000 } } });
    const pairs: Pair[] = [];
    for (const [kind, n] of plan) {
      const holdMs = n === 1 || kind === 'lock, held for no time' ? 0 : workMs;
      const pair: Pair = {
        kind,
        n,
        ours: nothingYet(),
        theirs: nothingYet(),
      };
      for (let round = 0; round < rounds; round += 1) {
        const name = `recipes/${kind.replace(/[^a-z]+/g, '-')}-${n}-${round}`;
        await slice(ours(consul, kind, `${name}-ours`, n), pair.ours, holdMs);
        await slice(theirs(stage, consul, kind, `${name}-theirs`, n), pair.theirs, holdMs);
      }
      stage.say(
        `${kind}, ${n}: ${rate(perSecond(pair.ours))} and ${rate(perSecond(pair.theirs))}, reads ${count(readsPer(pair.ours))} and ${count(readsPer(pair.theirs))}, longest wait ${ms(pair.ours.longestMs)} and ${ms(pair.theirs.longestMs)}`,
      );
      pairs.push(pair);
    }
    const fewer = ({ kind }: Pair) => pairs.find((one) => one.kind === kind && one.n === 8);
    return {
      compared: "Go's algorithm",
      figures: [
        ...pairs.map(cyclesOf),
        ...pairs.map((pair) => readsOf(pair, fewer(pair))),
        ...pairs.filter(({ kind }) => kind === 'lock, a process each').map(handedOf),
        ...pairs.filter(({ n }) => n > 1).map(longestOf),
        await commandFigure(consul),
      ],
      notes: [
        "Held for no time, most of Go's contenders are not contending: one that loses a race and then finds the key free again takes that for a lock-delay and sleeps for 5 s (`DefaultLockRetryTime`), so one or two go round alone.",
        "The longest wait includes those still waiting at the end. Each of Go's that sleeps for 5 s shows there; most wait without contending, so that few share the cycles.",
        'A lock of these libraries is one key, so every program that waits for it watches that key. "A process each": ours leave the key alone for a while after they have lost a race for it, so that a few are awake for a release; none rests more once it has waited for 2.5 s and seen 200 holders (`docs/decisions/0033`). Where a holder takes more than 2.5 s, only those count, and a release wakes all who have waited for longer, as in Go. All those programs are in the one process of this benchmark, whose own work for their answers is in the time.',
      ],
    };
  },
};
