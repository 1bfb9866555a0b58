/** From the link and the readings to the one word that people see: how fresh is what they look at. */

import type { Problem } from '@/lib/domain/problem';
import type { Source } from '@/lib/domain/source';
import type { Link } from './heartbeat';
import { essential, type Readings } from './readings';

/** What the link, the readings and the world so far say together. */
export interface Facts {
  readonly link: Link | null;
  readonly readings: Readings;
  /** A world has been handed on: then a failure makes it stale, before it there is nothing to be stale or live. */
  readonly shown: boolean;
  /** No world has been shown since the watch began, or since it last failed. */
  readonly afterGap: boolean;
  /** What was read does not fit together, and has not for a while. */
  readonly late: boolean;
  /** For how long there may be news that was not read, or was read and is not shown. */
  readonly behindMs: number;
  /** Every heartbeat asks whether the token is known (`Link.refusal`). */
  readonly asksWithToken: boolean;
}

/**
 * So long news may be on its way before what is shown is no longer called live: over a thin line a large world takes minutes,
 * and heartbeats, which are small, pass all the while; and what costs much is read after a long rest.
 */
const behindMaxMs = 2_500;

const noLeader: Problem = { code: 'no-leader', why: { code: 'no-leader-now', facts: {} } };
/** What is on show was read from one server's own copy. */
const oldCopy: Problem = { code: 'no-leader', why: { code: 'old-copy', facts: {} } };

/**
 * - `down`: the agent does not answer.
 * - `stale`: it may have changed without our knowing: a read fails, a heartbeat is missing, there is no leader, or
 *   the token is not known any more, although queries that were under way still bring changes for a while.
 * - `catching-up`: the first complete read, or the first after an outage, is under way; or so much changes at a time that
 *   nothing that was read fits together, or news has been on its way for long.
 * - `live`: every change shows as soon as it was read.
 */
export function freshness({
  link,
  readings,
  shown,
  afterGap,
  late,
  behindMs,
  asksWithToken,
}: Facts): Pick<Source, 'state' | 'problem'> {
  const resources = essential(readings);
  const failures = resources.filter((one) => one.problem !== null && !one.current);
  // A server that has just started knows no token. Where the heartbeat asks with ours, its word on that counts alone.
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
