/** Reduces the link and the readings to the one word on screen for the freshness of a view. */

import type { Problem } from '@/lib/domain/problem';
import type { SourceState } from '@/lib/domain/source-state';
import type { AgentLink } from './heartbeat';
import { essential, type Readings } from './readings';

export interface FreshnessFacts {
  readonly link: AgentLink | null;
  readonly readings: Readings;
  readonly shown: boolean;
  /** No view was shown since the watch began or last failed. */
  readonly afterGap: boolean;
  /** The readings have not fitted together for 3 s or more. */
  readonly late: boolean;
  /** The time for which there may have been unread or unshown news. */
  readonly behindMs: number;
  /** Every heartbeat asks whether the token is known (`Link.refusal`). */
  readonly asksWithToken: boolean;
}

/** A live view may lack news for this time. Small heartbeats pass a thin line on which a large world takes minutes. */
const behindMaxMs = 2_500;

const noLeader: Problem = { code: 'no-leader', why: { code: 'no-leader-now', facts: {} } };
/** The problem of a view that comes from one server's own copy. */
const oldCopy: Problem = { code: 'no-leader', why: { code: 'old-copy', facts: {} } };

/**
 * - `down`: the agent does not answer.
 * - `stale`: Consul may have changed unseen, because a read fails, a heartbeat is missing, there is no leader, or the
 *   token is no longer known.
 * - `catching-up`: the first complete read, or the first after an outage, is under way. Or changes come too fast for
 *   the readings to fit, or news is late.
 * - `live`: every change shows as soon as it is read.
 */
export function freshness({
  link,
  readings,
  shown,
  afterGap,
  late,
  behindMs,
  asksWithToken,
}: FreshnessFacts): Pick<SourceState, 'state' | 'problem'> {
  const resources = essential(readings);
  const failures = resources.filter((one) => one.problem !== null && !one.current);
  // A server that has just started knows no token. A heartbeat with our token decides alone.
  const failing =
    failures.find(({ problem }) => problem?.code !== 'signed-out' || !asksWithToken)?.problem ?? null;
  const behind = shown ? 'stale' : 'catching-up';
  if (link?.state === 'down') return { state: 'down', problem: link.problem };
  if (link?.state === 'shaky') return { state: behind, problem: link.problem };
  const copied = resources.some((one) => one.stale);
  if (link?.state === 'up' && !link.leader)
    return { state: behind, problem: copied && afterGap ? oldCopy : noLeader };
  if (link?.state === 'up' && link.refusal !== null) return { state: behind, problem: link.refusal };
  if (failing !== null) return { state: behind, problem: failing };
  if (copied) return { state: behind, problem: oldCopy };
  if (!shown || afterGap || late || behindMs > behindMaxMs || resources.some((one) => !one.current))
    return { state: 'catching-up', problem: null };
  return { state: 'live', problem: null };
}
