/**
 * One hold over time. Redis shows only the rest of a lease, so further looks must show if the lease is renewed or
 * fixed.
 *
 * A watchdog sets the same lease again every third of it, or more often when its timers pile up. A hold counts as
 * renewed once its end moved twice to about the same distance, over at least 0.3 of the lease without a release. Half a
 * lease after the last renewal, the next one is overdue. A thread that releases and retakes the lock between two looks
 * shows only in a fencing token.
 */
import type { Evidence, Expiry, Since, Verdict } from '@/lib/domain/model';
import { fact } from '@/lib/domain/verdict';

/** One reading of a holder. */
export interface HoldRead {
  readonly count: number;
  /** The rest of the lease, in milliseconds; `null`: nothing ends it. Negative once it is over. */
  readonly ttlMs: number | null;
  /** The token of a fenced lock; `null`: none, or not asked for yet. A new token means a new hold, or a re-entry. */
  readonly token: string | null;
}

export interface ReadMoment {
  readonly atMs: number;
  readonly slackMs: number;
  /** True when nothing was missed since the last reading, so that a new hold began now. */
  readonly fresh: boolean;
}

export interface Hold extends HoldRead {
  readonly since: Since;
  /** When this hold was seen first, or a lease of another length began. */
  readonly startMs: number;
  readonly begun: boolean;
  /** Epoch milliseconds; `null`: never. */
  readonly endMs: number | null;
  /** The error of `endMs` either way, in milliseconds. */
  readonly endSlackMs: number;
  /** The end on screen. It lags up to a second behind `endMs`, so that a row does not change at each renewal. */
  readonly shownEndMs: number | null;
  /** The length of the lease, in milliseconds; `null`: not seen yet. */
  readonly leaseMs: number | null;
  /** The number of renewals seen, and the time of the last one. */
  readonly touches: number;
  readonly touchMs: number | null;
  readonly atMs: number;
}

const toleranceMs = 120;
const shownStepMs = 1_000;
/** Shares of the lease. */
const shortest = 0.6;
const longest = 1.1;
const proofShare = 0.3;
const overdueShare = 0.5;
const graceMs = 500;
/** Tolerated difference between the clocks of clients and of Redis, in milliseconds. */
const overGraceMs = 1_000;
/** Redis removes an expired key some tens of milliseconds later. */
const removalMs = 60;

/** True when the end has passed, also by a client whose clock differs. */
export const isOver = ({ ttlMs }: Pick<HoldRead, 'ttlMs'>): boolean =>
  ttlMs !== null && ttlMs <= -overGraceMs;

const first = (read: HoldRead, { atMs, slackMs, fresh }: ReadMoment): Hold => {
  const endMs = read.ttlMs === null ? null : atMs + read.ttlMs;
  return {
    count: read.count,
    ttlMs: read.ttlMs,
    token: read.token,
    since: { atMs: Math.round(atMs), basis: fresh ? 'observed' : 'at-least' },
    startMs: atMs,
    begun: fresh,
    endMs,
    endSlackMs: slackMs,
    shownEndMs: endMs,
    leaseMs: fresh ? read.ttlMs : null,
    touches: 0,
    touchMs: null,
    atMs,
  };
};

/** The end on screen, which stays while the new end is hardly later. */
function shown(before: Hold, endMs: number): number {
  const { shownEndMs, leaseMs } = before;
  const step = Math.min(shownStepMs, (leaseMs ?? 0) / 10);
  return shownEndMs !== null && endMs >= shownEndMs && endMs - shownEndMs < step ? shownEndMs : endMs;
}

function touched(
  before: Hold,
  read: HoldRead & { readonly ttlMs: number },
  { atMs, slackMs }: ReadMoment,
  endMs: number,
): Hold {
  const { leaseMs } = before;
  const isSame =
    leaseMs !== null && read.ttlMs > shortest * leaseMs && read.ttlMs < longest * leaseMs + toleranceMs;
  const lease = isSame ? Math.max(leaseMs, read.ttlMs) : read.ttlMs;
  return {
    ...before,
    ...read,
    endMs,
    endSlackMs: slackMs,
    shownEndMs: shown(before, endMs),
    leaseMs: lease,
    touches: isSame ? before.touches + 1 : 1,
    // A lease of another length has begun now.
    startMs: isSame || leaseMs === null ? before.startMs : atMs,
    touchMs: Math.min(atMs, endMs - lease),
    atMs,
  };
}

/** `before`: the same holder at the last reading; `null`: it was absent. */
export function holdOf(before: Hold | null, read: HoldRead, moment: ReadMoment): Hold {
  const { atMs, slackMs } = moment;
  if (before === null) return first(read, moment);
  // The token also rises on a re-entry. A first token says nothing of the hold before it.
  const isNew =
    before.token !== null && read.token !== null && before.token !== read.token && read.count <= before.count;
  if (isNew) return first(read, moment);
  if (read.ttlMs === null)
    return {
      ...before,
      ...read,
      endMs: null,
      shownEndMs: null,
      leaseMs: null,
      touches: 0,
      touchMs: null,
      atMs,
    };
  const endMs = atMs + read.ttlMs;
  const noiseMs = toleranceMs + slackMs + before.endSlackMs;
  const moved = before.endMs === null || Math.abs(endMs - before.endMs) > noiseMs;
  if (!moved) {
    // The smaller error wins, for the same end.
    if (slackMs >= before.endSlackMs) return { ...before, ...read, atMs };
    const { touchMs, leaseMs } = before;
    const at = touchMs === null || leaseMs === null ? touchMs : endMs - leaseMs;
    return { ...before, ...read, endMs, endSlackMs: slackMs, touchMs: at, atMs };
  }
  // A re-entry sets the lease, too, and lengthens a writer's.
  if (before.count !== read.count || before.endMs === null)
    return { ...before, ...read, endMs, endSlackMs: slackMs, shownEndMs: endMs, atMs };
  return touched(before, { ...read, ttlMs: read.ttlMs }, moment, endMs);
}

const isRenewed = ({ touches, touchMs, startMs, leaseMs }: Hold): boolean =>
  touches >= 2 && touchMs !== null && leaseMs !== null && touchMs - startMs >= proofShare * leaseMs;

/** The time from which a missing renewal is news; `null`: never. */
const dueMs = ({ touchMs, startMs, leaseMs }: Hold): number | null =>
  leaseMs === null ? null : (touchMs ?? startMs) + overdueShare * leaseMs + graceMs;

/** Rounds to whole seconds when nearly so, because a reading is some milliseconds late. */
function lengthOf(leaseMs: number): string {
  const seconds = Math.round(leaseMs / 1_000);
  return Math.abs(leaseMs - seconds * 1_000) < 150 && seconds > 0
    ? `${seconds} s`
    : `${(leaseMs / 1_000).toFixed(1)} s`;
}

export interface LeaseJudgement {
  readonly verdict: Verdict;
  readonly evidence: readonly Evidence[];
  readonly expiry: Expiry;
}

const noExpiry: Expiry = { kind: 'never', withinMs: null, latestMs: null, lastRenewalMs: null };

/** The verdict as of the last reading. */
export function judgeLease(hold: Hold): LeaseJudgement {
  const { shownEndMs, leaseMs, touchMs, touches, begun, atMs } = hold;
  if (shownEndMs === null)
    return { verdict: 'immortal', evidence: [fact('redis-no-lease')], expiry: noExpiry };
  const endMs = Math.round(shownEndMs);
  const runs = fact('redis-lease-runs', null, endMs);
  const lease: Expiry = { kind: 'lease', withinMs: null, latestMs: endMs, lastRenewalMs: null };
  const due = dueMs(hold);
  const isDue = due !== null && atMs >= due;
  if (leaseMs !== null && isRenewed(hold)) {
    const length = lengthOf(leaseMs);
    if (!isDue)
      return {
        verdict: 'alive',
        evidence: [runs, fact('redis-lease-renewed', length)],
        expiry: { ...lease, withinMs: Math.round(leaseMs) },
      };
    const lastMs = Math.round(touchMs ?? atMs);
    return {
      verdict: 'overdue',
      evidence: [runs, fact('redis-renewal-overdue', length, lastMs)],
      expiry: { ...lease, withinMs: Math.round(leaseMs), lastRenewalMs: lastMs },
    };
  }
  const isFixed = begun && touches === 0 && isDue;
  return { verdict: 'alive', evidence: isFixed ? [runs, fact('redis-lease-fixed')] : [runs], expiry: lease };
}

/** The time at which a further reading may say more without a push; `null`: never. */
export function nextLookMs(hold: Hold): number | null {
  const { endMs, ttlMs, atMs } = hold;
  if (endMs === null || ttlMs === null || isOver(hold)) return null;
  const due = dueMs(hold);
  // Nothing removes a permit at its end, and it counts as over only later.
  const overMs = ttlMs >= 0 ? Math.max(endMs, atMs) : atMs + ttlMs + overGraceMs;
  const lookMs = overMs + removalMs;
  return due !== null && due > atMs ? Math.min(due, lookMs) : lookMs;
}
