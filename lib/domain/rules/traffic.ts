/** Rules about numbers and rates: the herd, and locks that change hands too fast. */
import type { LockLayout } from '@/lib/domain/layout';
import type { Turnover } from '@/lib/domain/model';
import { queuesInOrder } from '@/lib/domain/written';
import type { Found, Rule } from './rule';

/**
 * The least number of waiters that is a herd. Every change below the prefix wakes each of them to read the
 * whole prefix (api/semaphore.go lists it; the Java client polls, at about the same cost): 50 waiters read more
 * than 2,500 entries for one slot. It is also a quarter of the 200 connections that an agent grants one
 * address.
 */
export const herdMin = 50;

/** Locks that make their holder a leader. Each change of leader is an outage, however short. */
const leaders: ReadonlySet<LockLayout> = new Set([
  'patroni-leader',
  'vault',
  'consul-esm',
  'consul-template',
]);

/** A leader that holds for less did not get to lead: 15 s is one default session TTL or lock-delay. */
const leaderHoldMinMs = 15_000;

/**
 * A shorter hold is no work: acquire and release cost a session, two writes and a transaction, each agreed on
 * by all servers, and wake every waiter. One second leaves room for programs with short work.
 */
const holdMinMs = 1_000;

/** Fewer changes give no meaningful average. */
const changesMin = 4;

function flapping(turnover: Turnover | null, slots: number, isLeader: boolean): Found<'flapping'> | null {
  if (turnover === null || turnover.changes < changesMin) return null;
  const { changes, windowMs } = turnover;
  // Slots change independently of each other, so each had its share of the changes.
  const holdMs = Math.round((windowMs * slots) / changes);
  if (holdMs >= (isLeader ? leaderHoldMinMs : holdMinMs)) return null;
  return { severity: isLeader ? 'warning' : 'notice', facts: { changes, windowMs, holdMs }, mend: null };
}

export const trafficRules: readonly Rule[] = [
  {
    code: 'herd',
    about: 'semaphore',
    look: ({ waiters, limit }) => {
      if (waiters.length < herdMin) return null;
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
