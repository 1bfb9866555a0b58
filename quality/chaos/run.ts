/** Plays faults on their grounds, in an order and for times that a seed decides, and says what came of each. */
import { setTimeout as delay } from 'node:timers/promises';
import { chanceOf, shuffled } from './chance';
import type { Fault } from './fault';
import { inTime } from './in-time';
import { type Invariants, watchInvariants } from './invariants';
import type { Violation } from './judging';
import { linesOfScreen, linesOfTruth } from './reader';
import { raiseStage, type Stage } from './stage';

/** After its end a fault's screen may take so long to equal Consul again, an election and a backoff included. */
export const settleMaxMs = 30_000;

/** So many reads are kept, each with all that is there: some seconds. */
const freshMax = 50;

/** How long a fault may take to be made, to be undone, and a stage to be raised: none of it may hold a run. */
const injectMaxMs = 600_000;
const mendMaxMs = 90_000;
const raiseMaxMs = 180_000;

/** `not-equal`: a screen was late. `failed`: the fault could not be made or undone, or found something itself. */
export interface Failure {
  readonly invariant: 'not-equal' | 'failed';
  readonly text: string;
}

const failed = (what: string, error: unknown): Failure => ({
  invariant: 'failed',
  // The rest of a message is what a process has printed.
  text: `${what}: ${error instanceof Error ? error.message : error}`.slice(0, 400),
});

/** One fault, once. Times in milliseconds. */
export interface Played {
  readonly fault: string;
  readonly title: string;
  readonly ground: string;
  readonly seed: number;
  readonly lastedMs: number;
  /** The first screen's words from the beginning of the fault on, each with its time after that. */
  readonly said: readonly { readonly afterMs: number; readonly says: string }[];
  /** From the end of the fault until every screen was live and equal to a fresh read; `null`: not in time. */
  readonly recoveredMs: number | null;
  /** The longest that a screen said "live" over old data. */
  readonly oldestLiveMs: number;
  /** Actions that a person applied meanwhile, by their reported outcome. */
  readonly told: Readonly<Record<string, number>>;
  /** Slots that clients lost without an eviction: only where the fault hits them as well. */
  readonly losses: number;
  readonly violations: readonly (Violation | Failure)[];
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** The first lines that only one of two has, for a person to see what differs. */
function difference(truth: readonly string[], screen: readonly string[]): string {
  const only = (a: readonly string[], b: readonly string[]) =>
    a.filter((line) => !b.includes(line)).slice(0, 3);
  return `Consul: ${only(truth, screen).join('; ') || 'no more'} | screen: ${only(screen, truth).join('; ') || 'no more'}`;
}

/**
 * Resolves with the time until every screen was live and equal to a fresh, independent read; or with the last
 * difference, when `maxMs` is over. Work continues meanwhile, and a screen is some milliseconds behind a read, many on
 * a loaded machine: each read since the end of the fault counts, the last ones of them.
 */
async function whenEqual(stage: Stage, maxMs: number): Promise<{ ms: number } | { differs: string }> {
  const began = performance.now();
  let differs = 'nothing was read';
  const fresh: string[] = [];
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
        if (!live || snapshot === null) return `the screen says ${says}`;
        if (viewer.part === true) return null;
        const lines = linesOfScreen(snapshot);
        return fresh.includes(lines.join('\n')) ? null : difference(truth, lines);
      })
      .find((one) => one !== null);
    if (wrong === undefined) return { ms: performance.now() - began };
    differs = wrong ?? differs;
  }
  return { differs };
}

/**
 * Plays one fault on a stage where all is well. After a failure its state is unknown: the stage is used for no other.
 */
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
  // Clients that the fault hit notice by their own timers; a late one must not count against the next fault.
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
  /** Rounds go on until this is over; 0: each fault once. */
  readonly minutes: number;
  readonly say: (text: string) => void;
  /** `stage`: `null` where none could be raised for it. */
  readonly onPlayed: (played: Played, stage: Stage | null) => Promise<void> | void;
  /** Signalbox's environment, over that of the ground. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a real stage. */
  readonly raise?: typeof raiseStage;
  /** How long a stage may take to show what is there before its first fault; default `settleMaxMs`. */
  readonly readyMs?: number;
  /** Called on each stage once it is up, and once more before it is struck. */
  readonly onStage?: (stage: Stage, moment: 'raised' | 'over') => Promise<void>;
}

/** A row for what could not be played. */
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
 * All faults, ground by ground. Each ground gets its faults' share of the time. A failed fault is a row like any other:
 * its stage is ended, and the next one gets a new one. A breach between two faults is reported with the next one; one
 * after the last of a stage is returned.
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
        // One that comes too late is not left standing.
        raising.then((late) => late.strike()).catch(() => undefined);
        throw error;
      });
      await onStage?.(stage, 'raised');
      // A fault begins where all is well: slow arrivals before it are no part of it.
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
        // Where two could not be raised, a third one will not be either.
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
