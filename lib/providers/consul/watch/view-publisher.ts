/**
 * Turns readings into views of one moment, and publishes them one at a time. Readings that come in meanwhile ask for one
 * more turn. A view requires that everything was read since the link came up.
 *
 * One turn:
 * 1. settle the rows with the sessions (`reconcile-sessions.ts`), or try again soon when they do not fit,
 * 2. compare them with the last look (`sightings.ts`),
 * 3. ask Consul for everything that the readings leave open,
 * 4. publish, and ask for the next turn at the instant at which time alone changes a view.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isSure } from '@/lib/domain/actions/action';
import { hasOwnPath } from '@/lib/domain/by-hand/addressable';
import { runInSlices } from '@/lib/domain/sliced-work';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { enforcesKeyRule } from '@/lib/providers/consul/client/key-rule';
import { seesEveryKey } from '@/lib/providers/consul/client/key-sight';
import { presenceOf } from '@/lib/providers/consul/client/session-end';
import { seesEverySession } from '@/lib/providers/consul/client/session-sight';
import type { KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import type { ServerHistory } from '@/lib/providers/consul/observed/server-history';
import type { Ends } from '@/lib/providers/consul/observed/sessions-ended-here';
import { type Observed, observing } from '@/lib/providers/consul/observed/sightings';
import type { ConsulView } from '@/lib/providers/consul/recognise/view';
import type { Renewals } from '@/lib/providers/consul/renewals/renewals';
import { changingRows, type RowLists } from '@/lib/providers/consul/rows/changed-rows';
import { createLockers } from '@/lib/providers/consul/rows/keys-by-session';
import { rowListsOf, withLists } from './all-rows';
import { type EndedKnown, endedSessions } from './ended-sessions';
import { type WholeKnown, wholeNow } from './key-visibility';
import type { Answers } from './known-answers';
import {
  all,
  essential,
  isCut,
  keepSessions,
  knownNow,
  prefixesOf,
  type Readings,
  take,
  unknownFromMs,
} from './readings';
import { type Settled, settle } from './reconcile-sessions';
import { uncoversSession } from './uncovered-entries';
import { unreadPrefixes } from './unreadable-entries';

/** The state of a watch's publisher. It survives an outage. */
export interface PublisherState {
  observed: Observed | null;
  readonly hidden: Set<string>;
  /** The missed entries of recorded holders. */
  readonly asked: Answers;
  readonly ended: EndedKnown;
  readonly whole: WholeKnown;
  /**
   * `enforced`: Consul refuses keys that break its rule; `null`: unknown. `askedMs`: `null` until the first question of
   * this period.
   */
  keyRule: { enforced: boolean | null; askedMs: number | null };
  /** No look since the watch began or last failed, so differences were not seen to happen. */
  afterGap: boolean;
  /** The tick of the last gap that a feed found (`readings.ts`). */
  gapTick: number;
  /** No view has been published since such a gap. */
  gapUnshown: boolean;
  /** The last readings have not fitted together for `doubtMaxMs`. */
  late: boolean;
  /** The instant since which a reading is not shown; `null`: everything is shown. */
  unshownSinceMs: number | null;
}

export interface Showing {
  /** Asks for a view of the present readings. */
  request(): void;
  /** Resolves when the signal has aborted and no work is under way; rejects for a bug. */
  readonly ended: Promise<void>;
}

export interface ShowingOptions {
  readonly client: ConsulClient;
  readonly clock: Clock;
  readonly readings: Readings;
  readonly memory: PublisherState;
  readonly renewals: Renewals;
  readonly ends?: Pick<Ends, 'has'>;
  readonly elder?: Readonly<ServerHistory>;
  readonly elderOf?: ServerHistory;
  readonly onView: (view: ConsulView, asOfMs: number) => void | Promise<void>;
  readonly tell: () => void;
}

const noSessionIds: ReadonlySet<string> = new Set();
/** The rest between tries while rows and sessions do not fit. */
const retryMs = 250;
/** The rest between tries while Consul limits requests. */
const busyRetryMs = 5_000;
/** The rest after a failed request for the key rule. */
const askAgainMs = 30_000;
/** After this time without a fit, the last view no longer counts as fresh. */
const doubtMaxMs = 3_000;
/**
 * After this many tries, a view with doubtful ids is better than an old one. Tries are counted, because time also passes
 * in a suspended process.
 */
const doubtTriesMin = 40;

/** Starts publishing, until `signal` aborts. */
export function createShowing(options: ShowingOptions, signal: AbortSignal): Showing {
  const { clock, readings, memory, renewals } = options;
  const ask = createAsking(options);
  let doubt: { readonly sinceMs: number; tries: number } | null = null;
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

  const doubted = () => {
    doubt ??= { sinceMs: clock.now(), tries: 0 };
    doubt.tries += 1;
    if (memory.late || clock.now() - doubt.sinceMs < doubtMaxMs) return;
    memory.late = true;
    options.tell();
  };

  const lockers = createLockers();
  let settledRows: RowLists = [];
  let shownSessions: readonly SessionRow[] | null = null;
  /** The list that `shownSessions` was compared with. */
  let readSessions: readonly SessionRow[] | null = null;
  /** Sessions that released a key since the last pair that fitted; `null` before the first. */
  let letGo: Set<string> | null = null;

  /** Throws the errors of the reads. */
  const settled = async (rows: RowLists): Promise<Settled> => {
    const { value, index, askedTick } = readings.sessions;
    const locksChangedTick = Math.max(...readings.roots.map((root) => root.changedTick));
    for (const changed of await runInSlices(changingRows(settledRows, rows), yieldToEventLoop))
      for (const id of lockers.change(changed)) letGo?.add(id);
    settledRows = rows;
    const found = await settle(
      {
        lockers,
        sessions: { value, index },
        sessionsAreNewer: askedTick > locksChangedTick,
        letGo: memory.afterGap ? null : letGo,
      },
      ask,
      memory.hidden,
      signal,
    );
    if (found.fits) letGo = new Set();
    return found;
  };

  const keyRuleNow = async (nowMs: number): Promise<boolean | null> => {
    const { keyRule } = memory;
    if (keyRule.enforced !== null || Math.abs(nowMs - (keyRule.askedMs ?? 0)) < askAgainMs)
      return keyRule.enforced;
    keyRule.askedMs = nowMs;
    keyRule.enforced = await enforcesKeyRule(options.client, signal);
    return keyRule.enforced;
  };

  /** Asks Consul for everything that the readings leave open. `askAtMs`: when to ask again, with `null` for never. */
  const openQuestions = async (
    sightings: Observed,
    { stale, hasSessions, nowMs }: { stale: boolean; hasSessions: boolean; nowMs: number },
  ) => {
    const roots = prefixesOf(readings);
    // Consul before 1.11 does not report a cut list, so `unreadPrefixes` asks for each entry that a ghost would lack.
    const whole =
      roots.includes('') && !isCut(readings)
        ? wholeNow(memory.whole, stale ? null : () => ask.seesAllKeys(signal), nowMs)
        : { isWhole: false, askAtMs: null };
    const [unread, { isWhole, askAtMs }, rule] = await Promise.all([
      unreadPrefixes(sightings.missed, ask.refused, memory.asked, { nowMs, signal }),
      whole,
      stale ? memory.keyRule.enforced : keyRuleNow(nowMs),
    ]);
    const unlisted =
      stale || !hasSessions ? noSessionIds : await runInSlices(sightings.unlisting(), yieldToEventLoop);
    const ended = await endedSessions(unlisted, ask, memory.ended, { nowMs, signal });
    return {
      answers: {
        roots,
        isWhole,
        unread: unread.prefixes,
        ...(rule === null ? {} : { enforcesKeyRule: rule }),
        ended: ended.ids,
      },
      askAtMs: [unread.askAtMs, ended.askAtMs, askAtMs, rule === null && !stale ? nowMs + askAgainMs : null],
    };
  };

  /** One turn. Publishes nothing when the readings are not complete, or do not fit yet. */
  const show = async () => {
    const resources = essential(readings);
    if (!all(readings).every((one) => one.current)) return;
    const stale = resources.some((one) => one.stale);
    // A view without a leader never replaces a leader's answer.
    if (stale && memory.observed !== null) return;
    const lookedAtMs = clock.now();
    const { tick } = readings;
    const lists = rowListsOf(readings);
    const rowsIndexes = readings.roots.map((root) => root.index);
    const { fits, sessions } = stale ? { fits: true, sessions: readings.sessions } : await settled(lists);
    // A failed part may have replaced the parts by a whole.
    if (!essential(readings).every((one) => one.current)) return;
    const nowMs = clock.now();
    if (!fits) {
      doubted();
      if (doubt !== null && (!memory.late || doubt.tries < doubtTriesMin)) {
        requestIn(retryMs);
        return;
      }
    }
    doubt = null;
    memory.late = false;
    // A pair that does not fit proves no session's end.
    const afterGap = memory.afterGap || !fits;
    if (sessions.value !== readSessions)
      shownSessions = sessions.value === null ? null : keepSessions(shownSessions, sessions.value);
    readSessions = sessions.value;
    const look = withLists(
      {
        rowsIndexes,
        sessions: shownSessions,
        sessionsIndex: sessions.index,
        nowMs,
        afterGap,
        elder: options.elder?.seen ?? null,
        ...(options.ends === undefined ? {} : { ends: options.ends }),
      },
      lists,
    );
    // Differences from an old copy were not seen to happen either. A gap that begins during this look counts for the
    // next one, because these rows may be older.
    memory.gapUnshown ||= memory.afterGap;
    memory.afterGap = stale || memory.gapTick > tick;
    const sightings = await runInSlices(observing(memory.observed, look), yieldToEventLoop);
    memory.observed = sightings;
    if (options.elderOf !== undefined) options.elderOf.seen = sightings.memory;
    const open = await openQuestions(sightings, { stale, hasSessions: look.sessions !== null, nowMs });
    renewals.keep(look.sessions ?? [], nowMs);
    const view = {
      ...open.answers,
      sessions: look.sessions,
      checks: knownNow(readings.checks, nowMs),
      servers: readings.servers,
      sightings,
      renewals,
      nowMs,
    };
    await options.onView(withLists(view, lists), nowMs);
    memory.gapUnshown = false;
    memory.unshownSinceMs = wanted ? lookedAtMs : null;
    options.tell();
    // A lock-delay ends, a silence turns into a verdict and health turns unknown without an answer from Consul.
    const wakesMs = [
      sightings.wakeAtMs,
      renewals.wakeAtMs(nowMs),
      unknownFromMs(readings.checks, nowMs),
      ...open.askAtMs,
    ].filter((atMs) => atMs !== null);
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
        doubted();
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

/** False for listed keys that no request reaches: `a//b` has another key's path, and U+FFFD stands for unknown bytes. */
const canName = (key: string) => hasOwnPath(key) && isSure(key);

/** The questions to Consul of one turn. Session lists that come back update the readings. */
function createAsking({ client, readings, memory }: ShowingOptions) {
  return {
    sessions: async (signal: AbortSignal) => {
      readings.tick += 1;
      const askedTick = readings.tick;
      const reply = await client.sessions({ signal });
      const { value, index } = readings.sessions;
      const isTaken = take(readings, readings.sessions, reply, { askedTick, stale: false });
      if (isTaken && value !== null && uncoversSession(value, index, reply.value)) memory.afterGap = true;
      return { value: reply.value, index: reply.index };
    },
    alive: async (id: string, signal: AbortSignal) => (await client.session(id, { signal })).value !== null,
    row: async (key: string, signal: AbortSignal): Promise<KvRow | null | 'unreadable'> => {
      if (!canName(key)) return 'unreadable';
      try {
        return (await client.get(key, { signal })).value;
      } catch (error) {
        if (error instanceof ConsulError && error.status !== null && error.problem.code === 'invalid')
          return 'unreadable';
        throw error;
      }
    },
    seesAllKeys: (signal: AbortSignal) => seesEveryKey(client, signal),
    seesAll: (signal: AbortSignal) => seesEverySession(client, signal),
    session: (id: string, signal: AbortSignal) => presenceOf(client, id, signal),
    /** True when the token may not read the key, present or absent. Any server can answer. */
    refused: async (key: string, signal: AbortSignal): Promise<boolean> => {
      // Consul cannot answer for a key without an address. A client without a token seldom lacks a right.
      if (!canName(key)) return client.settings.token !== null;
      try {
        await client.get(key, { signal, consistency: 'stale' });
        return false;
      } catch (error) {
        if (!(error instanceof ConsulError) || error.status === null) throw error;
        if (error.problem.code === 'forbidden') return true;
        if (error.problem.code === 'invalid') return client.settings.token !== null;
        throw error;
      }
    },
  };
}
