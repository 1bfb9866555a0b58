/**
 * The invariants of every fault, checked throughout:
 *
 * - `live-while-old`: no screen says "live" while Consul has had other data for longer than the bound.
 * - `well-while-failing`: no live screen calls a holder well for longer than the bound while Consul calls its node or
 *   check critical.
 * - `entry-spoiled`: every observed entry has exact flags, Go's own shape and the limit of its clients.
 * - `sent-twice`: an action's write is sent once, unless Consul itself has refused it.
 * - `untrue`: the reported outcome of an action equals Consul's, part by part, and only the unknowable is "not known".
 * - `unanswered`: every action gets an answer, unless Signalbox itself is stopped.
 * - `refused-but-there`: refused effects do not appear later: limits at any time, ended sessions, released and deleted
 *   locks half a minute later.
 * - `unasked`: Signalbox writes nothing without a request, so a fault of Consul, not Signalbox, explains a lost slot.
 * - `lost`: only evicted clients lose a slot, unless the fault is Consul's own, or a restored snapshot lacks their
 *   session.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Loss, pool } from './contenders';
import { reappeared, spoiled } from './entries';
import type { Fault } from './fault';
import { calledWell, type Entry } from './holders';
import { misdone, type Recorded, takenOff, thereAllTheSame, unasked, type Violation } from './judging';
import type { Deed } from './operator';
import { coordinationOf } from './reader';
import type { Span, Stage } from './stage';
import type { Viewer } from './viewer';

/**
 * Longest time that a screen may say "live" over old data. It sums two seconds between heartbeats, two and a half for
 * an answer, and one for the way to the screen.
 */
export const liveBoundMs = 5_500;
/** The same for a screen to which nothing comes: two pings and a little, and the time that it needs to notice. */
export const cutOffBoundMs = 12_000;
const lookEveryMs = 50;
/** The interval between two questions for failing sessions, short beside the bound. */
const askEveryMs = 500;
/** A longer time between two looks is this process's own delay. */
const lookMaxMs = 500;
/** Most states of the contended semaphore to keep, which is some minutes. They show the effect of a write to it. */
const statesMax = 1_000;
const poolKey = `${pool.prefix}/.lock`;

export interface Invariants {
  /** Breaches since the last call, also those between two faults. */
  takeViolations(): readonly Violation[];
  /** Sets the present fault, which may widen a bound or excuse a loss; `null` between two faults. */
  during(fault: Fault | null): void;
  /**
   * The longest time that any screen said "live" over old data, in milliseconds, since the last call, which resets it.
   */
  takeOldestLiveMs(): number;
  stop(): Promise<void>;
}

/** Around a session that is made after the request for a slot, and the longest wait that it can cause. */
const madeWithinMs = 2_000;
const asksOnMs = 60_000;

/**
 * True when a fault, even a past one, may have taken the lost slot. A restored snapshot lacks the session of a client
 * that asked after it. The client does not notice, because its blocking query waits for an index that Consul has yet to
 * reach again. It takes the next free slot, and loses it at once, because others prune absent sessions (within 30 ms
 * by `consul lock -n 2`).
 */
export const mayBeTaken = (
  { askedMs, atMs }: Pick<Loss, 'askedMs' | 'atMs'>,
  undone: readonly Span[],
): boolean =>
  undone.some(
    ({ fromMs, toMs }) => askedMs >= fromMs - madeWithinMs && askedMs <= toMs && atMs <= toMs + asksOnMs,
  );

/**
 * Adds the present state of the contended semaphore, if new. A restored Consul counts from an earlier index, so the
 * states of that index and later ones belong to a dead history.
 */
export function note(states: Recorded[], entries: readonly Entry[]): void {
  const entry = entries.find(({ key }) => key === poolKey);
  if (entry === undefined || states.at(-1)?.modifyIndex === entry.modifyIndex) return;
  const index = BigInt(entry.modifyIndex);
  const over = states.findIndex(({ modifyIndex }) => BigInt(modifyIndex) >= index);
  if (over !== -1) states.length = over;
  const below = entries.filter(({ key }) => key.startsWith(`${pool.prefix}/`));
  states.push({
    modifyIndex: entry.modifyIndex,
    holders: coordinationOf(entry.value)?.holders ?? [],
    contenders: new Set(below.flatMap(({ session }) => session ?? [])),
  });
  if (states.length > statesMax) states.shift();
}

/** Watches the invariants from now on. */
export function watchInvariants(stage: Stage): Invariants {
  const { viewers, workload, reader } = stage;
  const { pulse, contenders, operator } = workload;
  const violations: Violation[] = [];
  const known = new Set<string>();
  const end = new AbortController();
  let fault: Fault | null = null;
  let faultSinceMs = performance.now();
  let oldestLiveMs = 0;
  let judged = operator.deeds.length;
  let judgedAgain = operator.lookedAgain.length;
  let judgedLosses = contenders.losses.length;
  const report = (violation: Violation) => {
    const text = `${violation.invariant} ${violation.text}`;
    if (known.has(text)) return;
    known.add(text);
    violations.push(violation);
    stage.say(`VIOLATION ${text}`);
  };

  const states: Recorded[] = [];
  reader.watch('chaos/', (entries) => {
    note(states, entries);
    for (const text of spoiled(entries)) report({ invariant: 'entry-spoiled', text });
    for (const limit of reappeared(entries, operator.refusedLimits))
      report({ invariant: 'refused-but-there', text: `the limit ${limit}` });
  });
  /** Times in which Signalbox itself could not answer. */
  const silent: Span[] = [];
  let judgedCalls = stage.proxy.calls.length;
  /** Since when each screen has said "live" without a pause. */
  const liveSince = new Map<Viewer, number>();
  const inBreach = new Set<Viewer>();
  const boundOf = (viewer: Viewer) => viewer.boundMs ?? fault?.boundMs ?? liveBoundMs;
  const lookAtScreens = () => {
    const now = performance.now();
    for (const viewer of viewers) {
      const boundMs = boundOf(viewer);
      const { live, snapshot } = viewer.screen();
      if (!live) liveSince.delete(viewer);
      else if (!liveSince.has(viewer)) liveSince.set(viewer, now);
      const claimedMs = now - (liveSince.get(viewer) ?? now);
      const oldMs = Math.min(claimedMs, pulse.behindMs(snapshot));
      oldestLiveMs = Math.max(oldestLiveMs, oldMs);
      if (oldMs <= boundMs) inBreach.delete(viewer);
      else if (!inBreach.has(viewer)) {
        inBreach.add(viewer);
        const which = `screen ${viewers.indexOf(viewer) + 1}`;
        const afterMs = Math.round(now - faultSinceMs);
        report({
          invariant: 'live-while-old',
          text: `${which} for more than ${boundMs} ms, ${afterMs} ms after the fault began`,
        });
      }
    }
  };
  /** The sessions that Consul calls failing; empty while it does not answer. */
  let failing: ReadonlySet<string> = new Set();
  /** The time for which each screen has called a failing holder well while it said "live". */
  const calledFor = new Map<Viewer, Map<string, number>>();
  let lookedMs = performance.now();
  const lookAtHealth = () => {
    const now = performance.now();
    const sinceMs = Math.min(lookMaxMs, now - lookedMs);
    lookedMs = now;
    for (const viewer of viewers) {
      const { live, snapshot } = viewer.screen();
      const well = failing.size === 0 || snapshot === null ? null : calledWell(snapshot);
      const before = calledFor.get(viewer);
      const called = new Map<string, number>();
      const boundMs = boundOf(viewer);
      for (const id of failing) {
        if (well?.has(id) !== true) continue;
        const ms = (before?.get(id) ?? 0) + (live ? sinceMs : 0);
        called.set(id, ms);
        if (ms > boundMs)
          report({ invariant: 'well-while-failing', text: `${id} for more than ${boundMs} ms` });
      }
      calledFor.set(viewer, called);
    }
  };
  const lookAtDeeds = () => {
    for (; judged < operator.deeds.length; judged += 1)
      for (const wrong of misdone(operator.deeds[judged] as Deed, { undone: stage.undone, silent }))
        report(wrong);
    for (const text of thereAllTheSame(operator.lookedAgain.slice(judgedAgain), stage.undone))
      report({ invariant: 'refused-but-there', text });
    judgedAgain = operator.lookedAgain.length;
    const { calls } = stage.proxy;
    const fresh = calls.slice(judgedCalls);
    judgedCalls = calls.length;
    for (const { line, text } of unasked(fresh, operator.asked))
      report({ invariant: 'unasked', text: `${line} ${text.slice(-200)}` });
    for (const call of fresh)
      for (const id of takenOff(call, { key: poolKey, states, evicted: operator.evicted }))
        report({ invariant: 'unasked', text: `${id} is taken off the record of ${poolKey}` });
    for (; judgedLosses < contenders.losses.length; judgedLosses += 1) {
      const loss = contenders.losses[judgedLosses];
      const wasEvicted = loss?.sessions?.some((id) => operator.evicted.has(id)) ?? false;
      if (loss !== undefined && !wasEvicted && fault?.hits !== 'clients' && !mayBeTaken(loss, stage.undone))
        report({ invariant: 'lost', text: `${loss.text} ${loss.sessions ?? ''}` });
    }
  };
  const looking = (async () => {
    while (!end.signal.aborted) {
      await delay(lookEveryMs, undefined, { signal: end.signal }).catch(() => undefined);
      // First read everything that arrived while this process was busy, because that delay is no fault of the screen.
      await new Promise((resolve) => setImmediate(resolve));
      lookAtScreens();
      lookAtHealth();
      lookAtDeeds();
    }
  })();
  const asking = (async () => {
    while (!end.signal.aborted) {
      await delay(askEveryMs, undefined, { signal: end.signal }).catch(() => undefined);
      failing = await reader.failing().catch(() => new Set<string>());
    }
  })();
  return {
    takeViolations: () => {
      lookAtDeeds();
      return violations.splice(0);
    },
    during: (next) => {
      lookAtDeeds();
      for (const span of silent) span.toMs = Math.min(span.toMs, performance.now());
      if (next?.silences === true) silent.push({ fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY });
      if (next !== null) faultSinceMs = performance.now();
      fault = next;
    },
    takeOldestLiveMs: () => {
      const longest = oldestLiveMs;
      oldestLiveMs = 0;
      return longest;
    },
    stop: async () => {
      end.abort();
      await Promise.all([looking, asking]);
    },
  };
}
