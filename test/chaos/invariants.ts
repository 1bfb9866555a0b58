/**
 * What must hold whatever goes wrong, looked at all along:
 *
 * - `live-while-old`: no screen says "live" while Consul has known something else for longer than the bound.
 * - `well-while-failing`: nor calls a holder well, as live, whose node or check Consul has called critical for longer.
 * - `entry-spoiled`: exact flags, Go's own shape and the limit of its clients, in every state of an entry that was seen.
 * - `sent-twice`, `untrue`: an action's write goes out once at the most, and what was told of it is what Consul says.
 * - `refused-but-there`: what was refused does not appear later.
 * - `lost`: nobody loses a slot who was not evicted, while the fault is not one of Consul itself, but for those whose session a
 *   restored snapshot does not know.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Action } from '@/lib/domain/action';
import { type Loss, pool, pools } from './contenders';
import type { Fault } from './fault';
import { calledWell } from './holders';
import { type Deed, limitPrefix } from './operator';
import { coordinationOf, type Entry, lockFlags, semaphoreFlags } from './reader';
import type { Span, Stage } from './stage';
import type { Viewer } from './viewer';

/**
 * How long a screen may say "live" over old data: two seconds between two heartbeats, two and a half for an answer to
 * come, and a second for the way to the screen.
 */
export const liveBoundMs = 5_500;
const lookEveryMs = 50;
/** How often Consul is asked who is failing: seldom beside the bound. */
const askEveryMs = 500;
/** A longer time between two looks is this process's own. */
const lookMaxMs = 500;

export interface Violation {
  readonly invariant:
    | 'live-while-old'
    | 'well-while-failing'
    | 'entry-spoiled'
    | 'sent-twice'
    | 'untrue'
    | 'refused-but-there'
    | 'lost';
  readonly text: string;
}

export interface Invariants {
  readonly violations: readonly Violation[];
  /** What goes wrong from now on: it may widen a bound, and excuse a loss; `null` between two faults. */
  during(fault: Fault | null): void;
  /** The longest that any screen said "live" over old data, in milliseconds, since the last call; begins anew. */
  takeOldestLiveMs(): number;
  stop(): Promise<void>;
}

/** What is wrong with these entries; an empty list for nothing. */
export function spoiled(entries: readonly Entry[], refusedLimits: ReadonlySet<number>): string[] {
  const wrong: string[] = [];
  const limits = new Map<string, number>([
    [pool.prefix, pool.limit],
    ...pools.filter(({ n }) => n > 1).map(({ prefix, n }): [string, number] => [prefix, n]),
  ]);
  for (const { key, value, flags, session } of entries) {
    const prefix = [...limits.keys(), limitPrefix].find((one) => key.startsWith(`${one}/`));
    if (flags !== (prefix === undefined ? lockFlags : semaphoreFlags))
      wrong.push(`${key} has flags ${flags}`);
    if (prefix === undefined || key !== `${prefix}/.lock`) continue;
    const found = coordinationOf(value);
    const limit = limits.get(prefix);
    if (found === null) wrong.push(`${key} has become ${value}`);
    else if (limit !== undefined && found.limit !== limit) wrong.push(`${key} has the limit ${found.limit}`);
    else if (limit !== undefined && found.holders.length > limit)
      wrong.push(`${key} records ${found.holders.length} holders of ${limit}`);
    else if (prefix === limitPrefix && refusedLimits.has(found.limit))
      wrong.push(`${key} has the limit ${found.limit}, which was refused`);
    if (session !== null) wrong.push(`${key} is locked by ${session}`);
  }
  return wrong;
}

const subject = (action: Action) => {
  if (action.type === 'semaphore.resize') return `to ${action.limit}`;
  return 'sessionId' in action ? `of ${action.sessionId.slice(0, 8)}` : '';
};

/**
 * What is wrong with how an action went. `undone`: what was under way then may have been taken back before it was looked at,
 * and a session that was made then may be gone without anybody's doing; no more than that is excused by it.
 */
export function misdone(
  { action, told, seen, sent, atMs, answeredMs }: Deed,
  undone: readonly Span[] = [],
): Violation[] {
  const what = `${action.type} ${subject(action)}: told ${told}, ${seen ? 'happened' : 'did not happen'}`;
  const wrong: Violation[] = [];
  if (sent > 1) wrong.push({ invariant: 'sent-twice', text: `${what}, sent ${sent} times` });
  // A holder may leave by itself meanwhile, so that its session is gone proves nothing; that it is there does.
  const ownEffect = action.type !== 'semaphore.evict';
  // Its write may have been before the end of such a time although it was answered after it.
  const meanwhile = undone.some(({ fromMs, toMs }) => answeredMs >= fromMs && atMs <= toMs);
  if (told === 'done' && !seen && !meanwhile) wrong.push({ invariant: 'untrue', text: what });
  const goneAnyway =
    action.type === 'session.destroy' &&
    // What was sent may have been the end of it, so that a refusal is no truth.
    sent === 0 &&
    meanwhile;
  if (ownEffect && seen && !goneAnyway && !['done', 'partly', 'unknown-result', 'no-answer'].includes(told))
    wrong.push({ invariant: 'untrue', text: what });
  return wrong;
}

/** Around a session that is made after the question for a slot began, and how long such a one may go on waiting. */
const madeWithinMs = 2_000;
const asksOnMs = 60_000;

/**
 * Whether a fault may have taken the slot that was lost, though it be over by now. Who asked after a snapshot that is then restored
 * has no session any more and is not told: its blocking query waits for an index that Consul has yet to reach again. It goes
 * on asking, takes the next slot that is free and loses it at once, for whoever looks prunes the record of a session that is not
 * there (tried by hand with `consul lock -n 2`: taken and lost within 30 ms, 3 s after the restore, as the first holder ended).
 */
export const mayBeTaken = (
  { askedMs, atMs }: Pick<Loss, 'askedMs' | 'atMs'>,
  undone: readonly Span[],
): boolean =>
  undone.some(
    ({ fromMs, toMs }) => askedMs >= fromMs - madeWithinMs && askedMs <= toMs && atMs <= toMs + asksOnMs,
  );

/** Looks from now on. */
export function watchInvariants(stage: Stage): Invariants {
  const { viewers, workload, reader } = stage;
  const { pulse, contenders, operator } = workload;
  const violations: Violation[] = [];
  const known = new Set<string>();
  const end = new AbortController();
  let fault: Fault | null = null;
  let oldestLiveMs = 0;
  let judged = operator.deeds.length;
  let judgedLosses = contenders.losses.length;
  const report = (violation: Violation) => {
    const text = `${violation.invariant} ${violation.text}`;
    if (known.has(text)) return;
    known.add(text);
    violations.push(violation);
    stage.say(`VIOLATION ${text}`);
  };

  reader.watch('chaos/', (entries) => {
    for (const text of spoiled(entries, operator.refusedLimits)) report({ invariant: 'entry-spoiled', text });
  });
  /** Since when each screen has said "live" without a pause. */
  const liveSince = new Map<Viewer, number>();
  const inBreach = new Set<Viewer>();
  const lookAtScreens = () => {
    const boundMs = fault?.boundMs ?? liveBoundMs;
    const now = performance.now();
    for (const viewer of viewers) {
      const { live, snapshot } = viewer.screen();
      if (!live) liveSince.delete(viewer);
      else if (!liveSince.has(viewer)) liveSince.set(viewer, now);
      const claimedMs = now - (liveSince.get(viewer) ?? now);
      const oldMs = Math.min(claimedMs, pulse.behindMs(snapshot));
      oldestLiveMs = Math.max(oldestLiveMs, oldMs);
      if (oldMs <= boundMs) inBreach.delete(viewer);
      else if (!inBreach.has(viewer)) {
        inBreach.add(viewer);
        report({ invariant: 'live-while-old', text: `for more than ${boundMs} ms at ${Math.round(now)}` });
      }
    }
  };
  /** Whom Consul calls failing; nobody while it does not answer. */
  let failing: ReadonlySet<string> = new Set();
  /** For how long each screen has called one of them well, the time left out in which it did not say "live". */
  const calledFor = new Map<Viewer, Map<string, number>>();
  let lookedMs = performance.now();
  const lookAtHealth = () => {
    const boundMs = fault?.boundMs ?? liveBoundMs;
    const now = performance.now();
    const sinceMs = Math.min(lookMaxMs, now - lookedMs);
    lookedMs = now;
    for (const viewer of viewers) {
      const { live, snapshot } = viewer.screen();
      const well = failing.size === 0 || snapshot === null ? null : calledWell(snapshot);
      const before = calledFor.get(viewer);
      const called = new Map<string, number>();
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
      for (const wrong of misdone(operator.deeds[judged] as Deed, stage.undone)) report(wrong);
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
      // What has arrived while this process was busy is read first: it is no fault of the screen.
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
    violations,
    during: (next) => {
      lookAtDeeds();
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
