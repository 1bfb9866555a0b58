/** Plays faults on their grounds, in an order and for times that a seed decides, and reports the outcomes. */
import { setTimeout as delay } from 'node:timers/promises';
import { chanceOf, shuffled } from './chance';
import type { Fault } from './fault';
import { inTime } from './in-time';
import { type Invariants, watchInvariants } from './invariants';
import type { Violation } from './judging';
import { linesOfScreen, linesOfTruth } from './reader';
import { raiseStage, type Stage } from './stage';

/** Longest time after a fault until a screen equals Consul again, with an election and a backoff. */
export const settleMaxMs = 30_000;

/** Most reads to keep, each with all data; some seconds. */
const freshMax = 50;
/** The same for a screen that shows the lock that beats: its value was the newest this many milliseconds ago. */
const beatFreshMs = 2_000;

/** Longest time to make or undo a fault, and to raise a stage, so that no step hangs a run. */
const injectMaxMs = 600_000;
const mendMaxMs = 90_000;
const raiseMaxMs = 180_000;
const pageMaxMs = 10_000;

/**
 * `not-equal`: a screen was late. `reloaded`: a page was loaded anew, which loses what its person was doing. `failed`: the
 * fault could not be made or undone, or found something itself.
 */
export interface Failure {
  readonly invariant: 'not-equal' | 'reloaded' | 'failed';
  readonly text: string;
}

const failed = (what: string, error: unknown): Failure => ({
  invariant: 'failed',
  // The rest of a message is output of a process.
  text: `${what}: ${error instanceof Error ? error.message : error}`.slice(0, 400),
});

/** One run of one fault. Times in milliseconds. */
export interface Played {
  readonly fault: string;
  readonly title: string;
  readonly ground: string;
  readonly seed: number;
  readonly lastedMs: number;
  /** The first screen's words since the fault began, each with its time after that. */
  readonly said: readonly { readonly afterMs: number; readonly says: string }[];
  /** Time from the end of the fault until every screen was live and had equalled a fresh read; `null`: not in time. */
  readonly recoveredMs: number | null;
  /** The longest time that a screen said "live" over old data. */
  readonly oldestLiveMs: number;
  /** The number of actions that a person applied meanwhile, by reported outcome. */
  readonly told: Readonly<Record<string, number>>;
  /** Slots that clients lost without an eviction, which only a fault of theirs allows. */
  readonly losses: number;
  readonly violations: readonly (Violation | Failure)[];
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** The first lines that only one of the two has. */
function difference(truth: readonly string[], screen: readonly string[]): string {
  const only = (a: readonly string[], b: readonly string[]) =>
    a.filter((line) => !b.includes(line)).slice(0, 3);
  return `Consul: ${only(truth, screen).join('; ') || 'no more'} | screen: ${only(screen, truth).join('; ') || 'no more'}`;
}

/**
 * Resolves with the time until every screen is live and has been equal to a fresh, independent read, or with the last
 * difference after `maxMs`. A screen is always some milliseconds behind a read, so any of the last reads since the end
 * of the fault counts. Each screen has its own look: on a busy machine a look finds few of the states of a lock that
 * changes hands all the time, and hardly one that all screens show at once.
 */
async function whenEqual(stage: Stage, maxMs: number): Promise<{ ms: number } | { differs: string }> {
  const began = performance.now();
  let differs = 'nothing was read';
  const fresh: string[] = [];
  const equal = new Set<Stage['viewers'][number]>();
  while (performance.now() - began < maxMs) {
    await delay(20);
    const before = await stage.reader.truth().catch((error: unknown) => {
      differs = `the reader: ${error}`;
      return null;
    });
    if (before === null) continue;
    const truth = linesOfTruth(before);
    fresh.push(truth.join('\n'));
    if (fresh.length > freshMax) fresh.shift();
    const wrong = stage.viewers
      .map((viewer) => {
        const { live, says, snapshot } = viewer.screen();
        if (!live || snapshot === null) {
          equal.delete(viewer);
          return `the screen says ${says}`;
        }
        if (equal.has(viewer)) return null;
        if (viewer.part === true) {
          const oldMs = Math.round(stage.workload.pulse.behindMs(snapshot));
          if (oldMs > beatFreshMs) return `the screen of one lock is ${oldMs} ms behind`;
          equal.add(viewer);
          return null;
        }
        const lines = linesOfScreen(snapshot);
        if (!fresh.includes(lines.join('\n'))) return difference(truth, lines);
        equal.add(viewer);
        return null;
      })
      .find((one) => one !== null);
    if (wrong === undefined) return { ms: performance.now() - began };
    differs = wrong ?? differs;
  }
  return { differs };
}

/** The pages that were loaded anew since they were opened. */
async function reloadedOf({ viewers }: Stage): Promise<Failure[]> {
  const anew = await Promise.all(
    viewers.map(async ({ reloaded }) =>
      reloaded === undefined
        ? false
        : inTime(pageMaxMs, 'a page to answer', reloaded()).catch((error: unknown) => `${error}`),
    ),
  );
  return anew.flatMap((one, n) =>
    one === false
      ? []
      : [{ invariant: 'reloaded' as const, text: `screen ${n + 1}${one === true ? '' : `: ${one}`}` }],
  );
}

/** Plays one fault on a healthy stage. After a failure the state is unknown, so the stage is not used again. */
export async function play(
  stage: Stage,
  invariants: Invariants,
  fault: Fault,
  seed: number,
): Promise<Played> {
  const chance = chanceOf(seed);
  const [min, max] = fault.lastsMs;
  const lastsMs = Math.round(min + chance() * (max - min));
  const { operator, contenders } = stage.workload;
  const before = {
    deeds: operator.deeds.length,
    losses: contenders.losses.length,
    said: stage.viewers[0]?.said.length ?? 0,
  };
  invariants.takeOldestLiveMs();
  invariants.during(fault);
  const began = performance.now();
  const failures: Failure[] = [];
  const attempt = (what: string, ms: number, work: Promise<void>) =>
    inTime(ms, what, work).catch((error: unknown) => void failures.push(failed(what, error)));
  await attempt('to make it', injectMaxMs, fault.inject(stage, chance));
  if (failures.length === 0) await delay(lastsMs);
  await attempt('to undo it', mendMaxMs, fault.mend(stage, chance));
  const lastedMs = performance.now() - began;
  const equal = await whenEqual(stage, fault.settleMs ?? settleMaxMs);
  failures.push(...(await reloadedOf(stage)));
  // Clients that the fault hit notice by their own timers. A late one must not count against the next fault.
  if (fault.hits === 'clients') await delay(2_000);
  invariants.during(null);
  const told: Record<string, number> = {};
  for (const deed of operator.deeds.slice(before.deeds)) told[deed.told] = (told[deed.told] ?? 0) + 1;
  return {
    fault: fault.name,
    title: fault.title,
    ground: fault.ground.name,
    seed,
    lastedMs,
    said: (stage.viewers[0]?.said ?? [])
      .slice(before.said)
      .map(({ atMs, says }) => ({ afterMs: atMs - began, says })),
    recoveredMs: 'ms' in equal ? equal.ms : null,
    oldestLiveMs: invariants.takeOldestLiveMs(),
    told,
    losses: contenders.losses
      .slice(before.losses)
      .filter(({ sessions }) => !sessions?.some((id) => operator.evicted.has(id))).length,
    violations: [
      ...failures,
      ...invariants.takeViolations(),
      ...('differs' in equal ? [{ invariant: 'not-equal' as const, text: equal.differs }] : []),
    ],
    at: new Date().toISOString(),
  };
}

export interface RunOptions {
  readonly faults: readonly Fault[];
  readonly seed: number;
  /** Rounds continue until this is over; 0: each fault once. */
  readonly minutes: number;
  readonly say: (text: string) => void;
  /** `stage`: `null` when none could be raised for the fault. */
  readonly onPlayed: (played: Played, stage: Stage | null) => Promise<void> | void;
  /** Additions to the ground's environment of Signalbox. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a real stage. */
  readonly raise?: typeof raiseStage;
  /** Longest time until a new stage shows its data; default `settleMaxMs`. */
  readonly readyMs?: number;
  /** Called on each stage once it is up, and again before it is struck. */
  readonly onStage?: (stage: Stage, moment: 'raised' | 'over') => Promise<void>;
}

/** A row for a fault that could not be played. */
const unplayed = (fault: Fault, seed: number, error: unknown): Played => ({
  fault: fault.name,
  title: fault.title,
  ground: fault.ground.name,
  seed,
  lastedMs: 0,
  said: [],
  recoveredMs: null,
  oldestLiveMs: 0,
  told: {},
  losses: 0,
  violations: [failed('to raise its stage', error)],
  at: new Date().toISOString(),
});

/**
 * Plays all faults, ground by ground, each ground for its faults' share of the time. After a failed fault the next one
 * gets a new stage. A breach between two faults is reported with the next one. A breach after the last fault of a stage
 * is returned.
 */
export async function run(options: RunOptions): Promise<readonly Violation[]> {
  const unattributed: Violation[] = [];
  const { faults, seed, minutes, say, onPlayed, onStage, env, raise: raiseOne = raiseStage } = options;
  const chance = chanceOf(seed);
  for (const ground of shuffled([...new Set(faults.map((one) => one.ground))], chance)) {
    const here = faults.filter((one) => one.ground === ground);
    const untilMs = performance.now() + (minutes * 60_000 * here.length) / faults.length;
    say(`On ${ground.name}: ${here.map(({ name }) => name).join(', ')}.`);
    let set: { readonly stage: Stage; readonly invariants: Invariants } | null = null;
    let unraised = 0;
    const raise = async () => {
      const raising = raiseOne({
        ground,
        chance: chanceOf(seed),
        say,
        ...(env === undefined ? {} : { env }),
      });
      const stage = await inTime(raiseMaxMs, 'a stage', raising).catch((error: unknown) => {
        // A stage that comes too late is struck.
        raising.then((late) => late.strike()).catch(() => undefined);
        throw error;
      });
      await onStage?.(stage, 'raised');
      // A fault begins on a healthy stage, so that slow arrivals do not count against it.
      const equal = await whenEqual(stage, options.readyMs ?? settleMaxMs);
      if ('differs' in equal) say(`   before any fault: ${equal.differs}`);
      return { stage, invariants: watchInvariants(stage) };
    };
    const strike = async () => {
      const struck = set;
      set = null;
      if (struck === null) return;
      await onStage?.(struck.stage, 'over');
      await struck.invariants.stop();
      unattributed.push(...struck.invariants.takeViolations());
      await struck.stage.strike();
    };
    const playOne = async (fault: Fault) => {
      say(`${fault.name} …`);
      const ownSeed = Math.floor(chance() * 2 ** 31);
      try {
        // After two failures to raise a stage, a third will fail, too.
        if (unraised > 1) throw new Error('none could be raised before');
        set ??= await raise();
      } catch (error) {
        unraised += 1;
        await onPlayed(unplayed(fault, ownSeed, error), null);
        return;
      }
      const { stage, invariants } = set;
      const played = await play(stage, invariants, fault, ownSeed);
      await onPlayed(played, stage);
      if (played.violations.some(({ invariant }) => invariant === 'failed')) await strike();
    };
    try {
      let round = shuffled(here, chance).sort(
        (a, b) => Number(b.restarts ?? false) - Number(a.restarts ?? false),
      );
      do {
        for (const fault of round) await playOne(fault);
        round = shuffled(here, chance).filter(({ restarts, once }) => !restarts && !once);
      } while (performance.now() < untilMs && round.length > 0 && unraised === 0);
    } finally {
      await strike();
    }
  }
  return unattributed;
}
