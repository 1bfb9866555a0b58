/** Rules about numbers and rates: the herd, and locks that change hands too fast. */

import { capabilities } from '@/lib/domain/capabilities';
import { queuesInOrder } from '@/lib/domain/contender-note';
import type { LockLayout } from '@/lib/domain/layout';
import type { Turnover } from '@/lib/domain/model';
import type { Rule, RuleResult } from './rule';

/**
 * Every change below the prefix wakes each waiter to read the whole prefix (api/semaphore.go lists it; the Java client
 * polls, at about the same cost). 50 waiters read more than 2,500 entries for one slot. They also take a quarter of the
 * 200 connections that an agent grants one address.
 */
export const herdMin = 50;

/** The layouts of leader elections, where each change is an outage, however short. */
const leaders: ReadonlySet<LockLayout> = new Set([
  'patroni-leader',
  'vault',
  'consul-esm',
  'consul-template',
]);

/** 15 s is one default session TTL or lock-delay: a leader that holds for less did not get to lead. */
const leaderHoldMinMs = 15_000;

/**
 * Acquire and release cost a session, two writes and a transaction, and wake every waiter. One second leaves room for
 * programs with short work.
 */
const holdMinMs = 1_000;

/** Fewer changes give no meaningful average. */
const changesMin = 4;

function flapping(
  turnover: Turnover | null,
  slots: number,
  isLeader: boolean,
): RuleResult<'flapping'> | null {
  if (turnover === null || turnover.changes < changesMin) return null;
  const { changes, windowMs } = turnover;
  // Slots change independently of each other.
  const holdMs = Math.round((windowMs * slots) / changes);
  if (holdMs >= (isLeader ? leaderHoldMinMs : holdMinMs)) return null;
  return { severity: isLeader ? 'warning' : 'notice', facts: { changes, windowMs, holdMs }, mend: null };
}

export const trafficRules: readonly Rule[] = [
  {
    code: 'herd',
    about: 'semaphore',
    look: ({ waiters, limit, layout }) => {
      // In a queue each change wakes only the first.
      if (waiters.length < herdMin || capabilities[layout].waiters !== 'race') return null;
      const crowd = waiters.filter(({ value }) => !queuesInOrder(value)).length;
      return crowd < herdMin
        ? null
        : { severity: 'warning', facts: { crowd, waiting: waiters.length, limit }, mend: null };
    },
  },
  {
    code: 'flapping',
    about: 'lock',
    look: ({ turnover, layout }) => flapping(turnover, 1, leaders.has(layout)),
  },
  {
    code: 'flapping',
    about: 'semaphore',
    look: ({ turnover, limit }) => flapping(turnover, Math.max(1, limit ?? 1), false),
  },
];
