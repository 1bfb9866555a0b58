/**
 * How the severity of a finding falls: only once it has been lower for a while. It rises at once, and a finding that is gone is
 * gone at once. Pure; whoever tells findings keeps the state, one for each list that somebody reads.
 *
 *   urgent --less severe--> eased: still urgent, until `atMs` --as severe again--> urgent
 *                                   '--still less at `atMs`--> what it is then
 */
import { type Finding, type Severity, severities } from '@/lib/domain/finding';
import type { FindingMoved } from './table';

/**
 * Twice as long as Consul's own client waits for a slot before it gives up and comes again (`DefaultSemaphoreWaitTime`, 15 s):
 * waiters that come and go within it are one situation, and not one that begins anew with each.
 */
export const calmMs = 30_000;

interface Held {
  readonly shown: Severity;
  readonly atMs: number;
  /** As it is now. */
  readonly is: Finding;
}

/** Findings that are shown as more severe than they are, by id. No more than there are findings. */
export type Easings = ReadonlyMap<string, Held>;

export const noEasings: Easings = new Map();

/** What is shown of a finding as the rules say it. */
export function eased(finding: Finding, easings: Easings): Finding {
  const held = easings.get(finding.id);
  return held === undefined
    ? finding
    : { ...finding, severity: held.shown, easing: { to: finding.severity, atMs: held.atMs } };
}

const rank = (severity: Severity) => severities.indexOf(severity);

/** The next state of one finding; `null`: it is shown as it is. */
function heldAfter(held: Held | undefined, { was, is }: FindingMoved, nowMs: number): Held | null {
  if (was === null || is === null) return null;
  const shown = held?.shown ?? was.severity;
  if (rank(is.severity) <= rank(shown)) return null;
  return { shown, atMs: held?.atMs ?? nowMs + calmMs, is };
}

/**
 * The easings after these changes, sorted by id, and the changes of what is shown, sorted as well: those, and what falls by
 * the time alone.
 */
export function ease(
  before: Easings,
  moved: readonly FindingMoved[],
  nowMs: number,
): { readonly easings: Easings; readonly moved: readonly FindingMoved[] } {
  if (before.size === 0 && !moved.some(({ was, is }) => was?.severity !== is?.severity))
    return { easings: before, moved };
  const changes = new Map(moved.map((one) => [(one.is ?? one.was)?.id ?? '', one]));
  const after = new Map(before);
  for (const [id, one] of changes) {
    const held = heldAfter(before.get(id), one, nowMs);
    if (held === null) after.delete(id);
    else after.set(id, held);
  }
  for (const [id, { atMs, is }] of after) {
    // A clock that was set back must not hold it for longer.
    if (atMs > nowMs && atMs <= nowMs + calmMs) continue;
    after.delete(id);
    if (!changes.has(id)) changes.set(id, { was: is, is });
  }
  const shown = [...changes.keys()].sort().map((id): FindingMoved => {
    const { was = null, is = null } = changes.get(id) ?? {};
    return { was: was && eased(was, before), is: is && eased(is, after) };
  });
  return { easings: after, moved: shown };
}

/** When the next one falls by the time alone; `null`: none does. */
export function easesAtMs(easings: Easings): number | null {
  let first: number | null = null;
  for (const { atMs } of easings.values()) first = Math.min(first ?? atMs, atMs);
  return first;
}
