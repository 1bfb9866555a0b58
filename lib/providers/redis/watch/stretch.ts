/**
 * One link's life: reads everything, then every change, until the link breaks. One loop does all work in turns, so that
 * no two readings of a name overtake each other.
 */
import type { World } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { Link } from '@/lib/providers/redis/client/link';
import { readNames } from '@/lib/providers/redis/client/reading';
import { lookForAudience } from './audience';
import type { Followed } from './changes';
import { createSharedCheck } from './databases';
import type { Discovery } from './discovery';
import type { NamesKnown } from './names-known';
import type { Shelf } from './shelf';

export interface StretchOptions {
  readonly link: Link;
  readonly followed: Followed;
  readonly names: NamesKnown;
  readonly shelf: Shelf;
  readonly discovery: Discovery;
  /** The number of the watched database. */
  readonly database: number;
  readonly now: () => number;
  /** True once the clock was set back behind an answer. */
  readonly isSetBack: () => boolean;
  readonly signal: AbortSignal;
  /** Resolves at the next push, or after `ms`. */
  rest(ms: number): Promise<void>;
  /** Called once everything is read. Changes show from here on. */
  onWhole(): void;
  onWorld(world: World, asOfMs: number): void | Promise<void>;
  /** Called when Redis has answered. */
  onAnswer(atMs: number): void;
}

const batchMax = 200;
/** The rest between two pages of `SCAN`, as a multiple of a page's time: in the first round, and later. */
const firstRest = 1;
const laterRest = 10;
/**
 * The rest between two rounds, and its least multiple of a round's time. Without pushes, only rounds find new names.
 */
const roundMs: Readonly<Record<Followed, number>> = { tracking: 60_000, events: 60_000, polling: 500 };
const roundRest = 4;
const lookMs = 1_500;
/** The rest after a look, as a multiple of its time. */
const lookRest = 20;
const verifyMs = 5_000;
const pingMs = 1_000;
/** The shortest time between two worlds, and its least multiple of a world's time. */
const worldMs = 40;
const worldRest = 4;
const idleMs = 500;

/** Throws the `ProblemError` of the link. Returns when the signal aborts, or when the clock was set back. */
export async function runStretch(options: StretchOptions): Promise<void> {
  const { link, followed, names, shelf, discovery, now, signal } = options;
  const isShared = createSharedCheck(link, options.database, now);
  let whole = false;
  let scanned = false;
  let scanMs = now();
  let roundFromMs = now();
  let lookedMs = now();
  let verifiedMs = now();
  let answeredMs = now();
  let shownMs = Number.NEGATIVE_INFINITY;
  let worldCostMs = 0;
  /** The first failure of the link, or of a check beside the loop. */
  let broken: unknown = null;
  void link.broken.then((problem) => {
    broken ??= new ProblemError(problem);
  });
  const check = () => {
    if (broken !== null && !signal.aborted) throw broken;
  };
  const answered = () => {
    answeredMs = now();
    options.onAnswer(answeredMs);
  };

  async function readDue(): Promise<boolean> {
    const due = names.due(now(), batchMax);
    if (due.length === 0) return false;
    const { reads, moving } = await readNames(link, due, now);
    // Between two polls a hold may end and another begin.
    names.take(reads, { nowMs: now(), live: whole && followed !== 'polling' });
    names.missed(moving, now());
    answered();
    return true;
  }

  async function scan(): Promise<boolean> {
    if (now() < scanMs) return false;
    const fromMs = now();
    const page = await discovery.next(link);
    answered();
    if (page === null) {
      scanned = true;
      scanMs = now() + Math.max(roundMs[followed], roundRest * (now() - roundFromMs));
      roundFromMs = scanMs;
      return true;
    }
    names.found(page, now());
    scanMs = now() + (scanned ? laterRest : firstRest) * (now() - fromMs);
    return true;
  }

  async function look(): Promise<void> {
    if (now() < lookedMs) return;
    const fromMs = now();
    names.hear(await lookForAudience(link, { now, shared: await isShared() }), now());
    lookedMs = now() + Math.max(lookMs, lookRest * (now() - fromMs));
    answered();
  }

  /** Runs beside the loop, because a sentinel that does not answer takes seconds. */
  function verify(): void {
    if (now() - verifiedMs < verifyMs) return;
    verifiedMs = Number.POSITIVE_INFINITY;
    link.verify().then(
      () => {
        verifiedMs = now();
      },
      (error) => {
        broken ??= error;
      },
    );
  }

  async function confirm(): Promise<void> {
    verify();
    if (now() - answeredMs < pingMs) return;
    await Promise.all(link.nodes.map((node) => node.call(['PING'])));
    answered();
  }

  async function show(): Promise<void> {
    const fromMs = now();
    if (!whole || !shelf.changed || fromMs - shownMs < Math.max(worldMs, worldRest * worldCostMs)) return;
    await options.onWorld(shelf.world(), fromMs);
    shownMs = now();
    worldCostMs = shownMs - fromMs;
  }

  names.reopened();
  names.all(now());
  discovery.restart();
  while (!signal.aborted && !options.isSetBack()) {
    check();
    const read = await readDue();
    const paged = await scan();
    await look();
    await confirm();
    if (!whole && scanned && names.settled) {
      whole = true;
      await options.onWorld(shelf.world(), now());
      shownMs = now();
      options.onWhole();
    }
    await show();
    if (read || paged) continue;
    const nextMs = Math.min(
      names.nextMs(),
      scanMs,
      lookedMs,
      answeredMs + pingMs,
      shelf.changed ? shownMs + Math.max(worldMs, worldRest * worldCostMs) : Number.POSITIVE_INFINITY,
    );
    await options.rest(Math.min(idleMs, Math.max(1, nextMs - now())));
  }
}
