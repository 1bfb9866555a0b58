/**
 * Turns readings into views of one moment and hands them on, one at a time: whatever comes in while one is being
 * settled asks for one more turn. A view is shown only when everything was read since the link came up.
 */
import type { ConsulClient } from './client';
import type { Clock } from './clock';
import { ConsulError } from './errors';
import { all, essential, type Readings, rowsOf, take } from './readings';
import type { Renewals } from './renewals';
import { settle } from './settle';
import { type Observed, observe } from './sightings';
import { unreadPrefixes } from './unread';
import type { View } from './view';
import type { Row } from './wire';

/** What outlives an outage. */
export interface Memory {
  observed: Observed | null;
  /** Session ids proven to be out of this token's sight. */
  readonly hidden: Set<string>;
  /** Entries of recorded holders that were missed, and whether the token may not read them. */
  readonly asked: Map<string, boolean>;
  /** Nothing was shown since the watch began, or since it last failed. */
  afterGap: boolean;
}

export interface Showing {
  /** Shows what the readings say now, as soon as they fit together. */
  request(): void;
  /** Resolves when the signal has aborted and nothing is under way; rejects for a bug. */
  readonly ended: Promise<void>;
}

export interface ShowingOptions {
  readonly client: ConsulClient;
  readonly clock: Clock;
  readonly readings: Readings;
  readonly memory: Memory;
  readonly renewals: Renewals;
  readonly onView: (view: View, asOfMs: number) => void;
}

/** When rows and sessions do not fit, and the next rows are slow to come. */
const retryMs = 250;
/** When Consul limits requests: to ask four times a second would keep it limiting. */
const busyRetryMs = 5_000;
/** After so long a world with doubtful ids is better than an old one. Storms settle far sooner. */
const doubtMaxMs = 3_000;

/** Asks Consul for what `settle` wants to know. What it learns of sessions goes into the readings. */
function asking({ client, readings }: ShowingOptions) {
  return {
    sessions: async (signal: AbortSignal) => {
      readings.tick += 1;
      const askedTick = readings.tick;
      take(readings.sessions, await client.sessions({ signal }), askedTick, false);
      return readings.sessions.value;
    },
    row: async (key: string, signal: AbortSignal): Promise<Row | null | 'unreadable'> => {
      try {
        return (await client.get(key, { signal })).value;
      } catch (error) {
        // Keys like `a//b` are listed but cannot be addressed.
        if (error instanceof ConsulError && error.status !== null && error.problem.code === 'invalid')
          return 'unreadable';
        throw error;
      }
    },
    /** Whether the token may not read the key, there or not. Any server knows, with a leader or without. */
    refused: async (key: string, signal: AbortSignal): Promise<boolean> => {
      try {
        await client.get(key, { signal, consistency: 'stale' });
        return false;
      } catch (error) {
        if (!(error instanceof ConsulError) || error.status === null) throw error;
        if (error.problem.code === 'forbidden') return true;
        // A key that cannot be addressed cannot be asked for; without a token there is hardly a right to miss.
        if (error.problem.code === 'invalid') return client.settings.token !== null;
        throw error;
      }
    },
  };
}

/** Runs until the signal aborts. */
export function createShowing(options: ShowingOptions, signal: AbortSignal): Showing {
  const { clock, readings, memory, renewals } = options;
  const ask = asking(options);
  let doubtSinceMs: number | null = null;
  let wanted = false;
  let wake: () => void = () => {};
  let timer: ReturnType<typeof setTimeout> | null = null;

  const request = () => {
    wanted = true;
    wake();
  };
  const requestIn = (ms: number) => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(request, Math.max(1, ms));
  };

  /** Whether rows and sessions fit together now. Throws what the reads throw. */
  const fits = async (rows: readonly Row[]): Promise<boolean> => {
    if (doubtSinceMs !== null && clock.now() - doubtSinceMs > doubtMaxMs) return true;
    const locksChangedTick = Math.max(...readings.roots.map((root) => root.changedTick));
    const sessionsAreNewer = readings.sessions.askedTick > locksChangedTick;
    const state = await settle(
      { rows, sessions: readings.sessions.value, sessionsAreNewer },
      ask,
      memory.hidden,
      signal,
    );
    if (state === 'settled') return true;
    doubtSinceMs ??= clock.now();
    requestIn(retryMs);
    return false;
  };

  const show = async () => {
    const resources = essential(readings);
    if (!all(readings).every((one) => one.current)) return;
    const stale = resources.some((one) => one.stale);
    // What is read without a leader is shown when there is nothing else, and never replaces what a leader said.
    if (stale && memory.observed !== null) return;
    const rows = rowsOf(readings);
    if (!stale && !(await fits(rows))) return;
    if (!resources.every((one) => one.current)) return;
    doubtSinceMs = null;
    const nowMs = clock.now();
    const { value: sessions, index: sessionsIndex } = readings.sessions;
    const rowsIndexes = readings.roots.map((root) => root.index);
    const look = { rows, rowsIndexes, sessions, sessionsIndex, nowMs, afterGap: memory.afterGap };
    const sightings = observe(memory.observed, look);
    memory.observed = sightings;
    // What differs from an old copy, once there is a leader again, was not seen to happen either.
    memory.afterGap = stale;
    // A root of which the token may read only a part proves no absence, so no ghost.
    const roots = readings.roots.filter((root) => !root.filtered).map((root) => root.prefix);
    const unread = await unreadPrefixes({ rows, slots: sightings.slots }, ask.refused, memory.asked, signal);
    renewals.keep(sessions ?? []);
    options.onView(
      {
        rows,
        roots,
        unread: unread.prefixes,
        sessions,
        checks: readings.checks.value,
        sightings,
        renewals,
        nowMs,
      },
      nowMs,
    );
    // A lock-delay ends, and a silence becomes a verdict, without a word from Consul.
    const askOnMs = unread.more ? nowMs + retryMs : null;
    const wakesMs = [sightings.wakeAtMs, renewals.wakeAtMs(nowMs), askOnMs].filter((atMs) => atMs !== null);
    if (wakesMs.length > 0) requestIn(Math.min(...wakesMs) - nowMs);
  };

  const run = async () => {
    while (!signal.aborted) {
      if (!wanted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      wanted = false;
      try {
        await show();
      } catch (error) {
        if (signal.aborted) break;
        if (!(error instanceof ConsulError)) throw error;
        doubtSinceMs ??= clock.now();
        requestIn(error.problem.code === 'busy' ? busyRetryMs : retryMs);
      }
    }
  };
  const stop = () => {
    if (timer !== null) clearTimeout(timer);
    wake();
  };
  signal.addEventListener('abort', stop, { once: true });
  return { request, ended: run().finally(stop) };
}
