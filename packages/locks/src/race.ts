/** Waits for a key beside rivals, and locks it. */

import { backoffMs } from '@/lib/domain/pace/backoff';
import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { type Changes, waitMsDefault } from './changes';
import type { Clock } from './clock';
import { withEnding } from './first-abort';
import { isPassing, type Patience, persist } from './retry';
import type { Rivalry } from './rivalry';
import type { KeptSession } from './session';
import { throwDenied } from './taking';

export interface Entrant {
  readonly client: ConsulClient;
  readonly key: string;
  readonly value: Buffer;
  readonly session: KeptSession;
  readonly changes: Changes<KvRow | null>;
  readonly rivalry: Rivalry;
  readonly clock: Clock;
  /** Gives up instead of waiting. */
  readonly once: boolean;
  /** The end of the acquire's time, in monotonic milliseconds; infinite without one. */
  readonly untilMs: number;
  /** Aborts when the key may have been locked for us, which ends all rests. `null`: no client will. */
  readonly called: AbortSignal | null;
  /** `mayHold`: a write of this attempt may have locked the key, because no answer denies it. */
  readonly writes: { mayHold: boolean };
}

export interface Won {
  readonly row: KvRow;
  /** A rival had the key, or was faster. */
  readonly met: boolean;
  /** We rested before the first look. */
  readonly rested: boolean;
  /** False: an unanswered write may still arrive. */
  readonly answered: boolean;
}

/** No event announces the end of a lock-delay, so waiters ask. api.Lock asks every 5 s (`DefaultLockRetryTime`). */
const delayBackoff = { firstMs: 250, maxMs: 2_000 };

/**
 * Throws `conflict-in-use` on foreign flags, because other software stores a value here. Authority: `ErrLockConflict`
 * in api/lock.go.
 */
export function refuseForeign(row: KvRow | null): void {
  if (row !== null && row.flags !== lockFlags)
    throw new ProblemError({
      code: 'conflict-in-use',
      detail: `The key ${row.key} is not used as a lock.`,
    });
}

/** A longer rest precedes the first look, which would be old after it. */
const restBeforeLookMs = 60;

/**
 * The key as we locked it; `null`: `once`, and not available. `look`: the read under way; `null`: none yet. A read that
 * finds the key ours must be true, and show no earlier hold by the same session. Throws the signal's reason, a
 * `ConsulError`, or `conflict-in-use`.
 *
 * - Before the first look: a long REST, if one is due.
 * - The key is ours (the answer to an earlier write was lost, or a client locked it for us): HELD.
 * - Another's: REST as the rivalry says, then WATCH from the last state. Another's again, by another acquisition: a
 *   lost race.
 * - Free: TAKE. Refused or unknown: REST, after which the key shows the winner. If it has not moved, a lock-delay runs,
 *   and we ask again at intervals.
 */
export async function race(
  entrant: Entrant,
  look: Promise<KvRow | null> | null,
  signal: AbortSignal,
): Promise<Won | null> {
  const { session, changes, rivalry, once, clock } = entrant;
  const sinceMs = clock.monotonicMs();
  const resting = (turnMs: number) => restMs(entrant, { sinceMs, turnMs });
  // Before the first look only a long rest runs. A short one follows the look.
  let drawnMs = look === null ? resting(0) : null;
  const rested = drawnMs !== null && drawnMs >= restBeforeLookMs;
  if (rested) {
    await rest(entrant, drawnMs ?? 0, signal);
    drawnMs = 0;
  }
  const first = await (look ?? changes.now(signal));
  const lookedMs = clock.monotonicMs();
  let row = first;
  let met = false;
  /** True while we wait for a release. False for a newcomer. */
  let watching = false;
  let answered = true;
  const won = (now: KvRow): Won => {
    rivalry.raced(watching ? 'won' : 'lay free');
    return { row: now, met, rested, answered };
  };
  /** The time from one holder to the next, in milliseconds; 0 if only one was seen. */
  const turnMs = (now: KvRow | null) => {
    const turns = Number(now?.lockIndex ?? 0) - Number(first?.lockIndex ?? 0);
    return turns > 0 ? (clock.monotonicMs() - lookedMs) / turns : 0;
  };
  /** Refusals of a free, unmoved key in a row. */
  let delayed = 0;
  for (;;) {
    refuseForeign(row);
    if (row?.session === session.id) return won(row);
    if (row?.session != null) {
      met = true;
      if (once) return null;
      if (!watching) await rest(entrant, drawnMs ?? resting(turnMs(row)), signal);
      drawnMs = null;
      const held: KvRow = row;
      row = await changes.next(signal, waitMsDefault);
      const passedOver: boolean = row?.session != null && row.lockIndex !== held.lockIndex;
      const lost: boolean = watching && passedOver && row?.session !== session.id;
      if (lost) rivalry.raced('lost');
      watching = !lost;
      delayed = 0;
      continue;
    }
    const taken = await take(entrant);
    if (taken === 'unanswered') answered = false;
    else if (taken !== null) return won(taken);
    const refused: KvRow | null = row;
    met = true;
    drawnMs = null;
    const wasAwake = watching;
    if (once) {
      row = await changes.now(signal);
      return row?.session === session.id ? { row, met, rested, answered } : null;
    }
    await rest(entrant, resting(turnMs(row)), signal);
    const random = () => clock.random();
    const waitMs = backoffMs(delayed, { ...delayBackoff, random });
    const askedMs = clock.monotonicMs();
    row = await changes.next(signal, waitMs);
    const moved: boolean = row?.modifyIndex !== refused?.modifyIndex;
    // Some proxies do not let a query wait, and some servers wake it for other keys. Without this pause a lock-delay
    // would cause a tight loop of writes.
    const leftMs = waitMs - (clock.monotonicMs() - askedMs);
    if (!moved && leftMs > 0) await pause(leftMs, signal);
    // A newcomer reads the key while its session is made, so a key taken meanwhile shows no rivals.
    if (moved && wasAwake && row?.session !== session.id) rivalry.raced('lost');
    delayed = moved ? 0 : delayed + 1;
    watching = true;
  }
}

function restMs(
  { rivalry, clock, untilMs }: Entrant,
  { sinceMs, turnMs }: { readonly sinceMs: number; readonly turnMs: number },
): number {
  return rivalry.restMs(clock.monotonicMs() - sinceMs, untilMs - sinceMs, turnMs);
}

async function rest({ called }: Entrant, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || called?.aborted) return;
  const ends = called === null ? [signal] : [signal, called];
  await withEnding(ends, (ended) => pause(ms, ended)).catch(() => signal.throwIfAborted());
}

/**
 * The key as we locked it, without its value; `null`: not locked; `unanswered`: the key will show. Throws when the
 * session is gone or the write is forbidden.
 */
async function take(entrant: Entrant): Promise<KvRow | 'unanswered' | null> {
  const { client, key, value, session, writes } = entrant;
  const heldBefore = writes.mayHold;
  writes.mayHold = true;
  try {
    const outcome = await client.txn([{ verb: 'lock', key, value, flags: lockFlags, session: session.id }]);
    if (outcome.done) return outcome.rows.find((row) => row.key === key) ?? null;
    writes.mayHold = heldBefore;
    throwDenied(outcome.errors);
    const { what } = outcome.errors[0] ?? { what: '' };
    if (/session/i.test(what) && !(await session.exists())) session.lost.throwIfAborted();
    return null;
  } catch (error) {
    if (isPassing(error) && !session.lost.aborted && (await session.exists())) return 'unanswered';
    throw error;
  }
}

/**
 * Undoes a failed attempt. Without `mayHold` the key is left alone: a passed session may hold it for other software.
 * Never throws, because the caller needs the reason for the end of the attempt.
 */
export async function abandon(
  { client, key, value, session }: Pick<Entrant, 'client' | 'key' | 'value' | 'session'>,
  mayHold: boolean,
  patience: Patience,
): Promise<void> {
  const read = () => client.get(key, { consistency: 'consistent' });
  try {
    const row = mayHold ? (await persist(read, patience)).value : null;
    const write = { key, value, flags: lockFlags, session: session.id };
    if (row?.session === session.id && row.flags === lockFlags)
      await persist(() => client.release(write), patience);
  } catch {
    // The session is no longer renewed, and its end or its TTL frees the key.
  }
  await session.end().catch(() => {});
}
