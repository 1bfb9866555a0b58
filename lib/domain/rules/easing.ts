/**
 * How findings are shown over time. Pure; the caller keeps the state, one for each shown list.
 *
 * A severity falls only once it has been lower for `calmMs`. It rises at once, and an ended finding is removed at once.
 *
 *   urgent --less severe--> eased: still urgent, until `atMs` --as severe again--> urgent
 *                                   '--still less at `atMs`--> what it is then
 *
 * A finding that ordinary work leaves for a moment is shown only once it has lasted for one (0056).
 *
 *   found --> not shown, until `atMs` --still found--> shown, as severe as it is then
 *              '--gone--> it was never shown
 */
import { type Finding, type FindingCode, type Severity, severities } from '@/lib/domain/findings/finding';
import type { FindingMoved } from './table';

/**
 * Twice the time that Consul's own client waits for a slot before it retries (`DefaultSemaphoreWaitTime`, 15 s).
 * Waiters that come and go within it are one situation.
 */
export const calmMs = 30_000;

/** A shorter finding can be neither read nor mended. */
export const momentMs = 1_000;

/** Kinds that clients leave for a moment while nothing is wrong, and for how long at most. */
const momentary: Readonly<Partial<Record<FindingCode, number>>> = {
  // The time from the end of a holder's session to the prune of the record.
  'ghost-slots': momentMs,
  // A leaving client takes its name off the record before its entry: in between it seems to wait.
  deadlock: momentMs,
  // A session is made before it locks anything, and ends after its release.
  'session-leak': momentMs,
  // Locks that are held for less than a moment.
  'endless-holder': momentMs,
  'no-lock-delay': momentMs,
  // A client with another limit fails at once, and its entry goes with its session.
  'limit-disagreement': momentMs,
  // Redisson's client is in the queue a moment before its channel has it.
  'dead-queue-head': 3_000,
  // The time from a release to the first waiter that it wakes.
  'sleeping-waiters': 5_000,
  // Readers that a message wakes are gone within 40 ms, but listeners are read every 1.5 s.
  'sleeping-readers': 3_000,
  // Locks that a thread holds one inside the other, for less than a moment.
  'same-thread-removed': momentMs,
};

interface EasedFinding {
  /** `null`: not shown. */
  readonly shown: Severity | null;
  readonly atMs: number;
  readonly is: Finding;
}

/** By id. Never more than there are findings. */
export type Easings = ReadonlyMap<string, EasedFinding>;

export const noEasings: Easings = new Map();

/** `null`: not shown yet. */
export function eased(finding: Finding, easings: Easings): Finding | null {
  const easing = easings.get(finding.id);
  if (easing === undefined) return finding;
  if (easing.shown === null) return null;
  return { ...finding, severity: easing.shown, easing: { to: finding.severity, atMs: easing.atMs } };
}

const rank = (severity: Severity) => severities.indexOf(severity);

/** `null`: it is shown unchanged. */
function heldAfter(
  easing: EasedFinding | undefined,
  { was, is }: FindingMoved,
  nowMs: number,
  isNew: boolean,
): EasedFinding | null {
  if (is === null) return null;
  if (was === null) {
    const lastsMs = momentary[is.code];
    return isNew && lastsMs !== undefined ? { shown: null, atMs: nowMs + lastsMs, is } : null;
  }
  if (easing?.shown === null) return { ...easing, is };
  const shown = easing?.shown ?? was.severity;
  if (rank(is.severity) <= rank(shown)) return null;
  return { shown, atMs: easing?.atMs ?? nowMs + calmMs, is };
}

const longestMs = ({ shown, is }: EasedFinding) =>
  shown === null ? (momentary[is.code] ?? momentMs) : calmMs;

/**
 * The next easings and the changes of the shown findings, both sorted by id, those by time alone included. `afterGap`:
 * present findings may be old, so none waits for its moment.
 */
export function ease(
  before: Easings,
  moved: readonly FindingMoved[],
  nowMs: number,
  afterGap = false,
): { readonly easings: Easings; readonly moved: readonly FindingMoved[] } {
  if (before.size === 0 && !moved.some(({ was, is }) => was?.severity !== is?.severity))
    return { easings: before, moved };
  const changes = new Map(moved.map((one) => [(one.is ?? one.was)?.id ?? '', one]));
  const after = new Map(before);
  for (const [id, one] of changes) {
    const easing = heldAfter(before.get(id), one, nowMs, !afterGap);
    if (easing === null) after.delete(id);
    else after.set(id, easing);
  }
  for (const [id, easing] of after) {
    // A clock that was set back must not hold it for longer.
    if (easing.atMs > nowMs && easing.atMs <= nowMs + longestMs(easing)) continue;
    after.delete(id);
    if (!changes.has(id)) changes.set(id, { was: easing.is, is: easing.is });
  }
  const shown = [...changes.keys()].sort().flatMap((id): readonly FindingMoved[] => {
    const { was = null, is = null } = changes.get(id) ?? {};
    const one = { was: was && eased(was, before), is: is && eased(is, after) };
    return one.was === null && one.is === null ? [] : [one];
  });
  return { easings: after, moved: shown };
}

/** `null`: no finding changes by time alone. */
export function easesAtMs(easings: Easings): number | null {
  let first: number | null = null;
  for (const { atMs } of easings.values()) first = Math.min(first ?? atMs, atMs);
  return first;
}
