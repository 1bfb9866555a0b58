/** The consequences of an action, as codes and facts. Each states what Consul or a client will do. */

import { frictionOf, labelOr } from '@/lib/domain/actions/friction';
import type { Warning } from '@/lib/domain/actions/plan';
import { lockDelayOf, splitBrainOf } from '@/lib/domain/actions/risk';
import { holdersWith, unlistedHolders } from '@/lib/domain/holders';
import type { Layout } from '@/lib/domain/layout';
import type { Party, Semaphore } from '@/lib/domain/model';
import type { KnownSession } from '@/lib/providers/consul/recognise/view';
import type { Fresh } from './consistent-read';

export const notConditional: Warning = { code: 'not-conditional', facts: {} };
export const answerLost: Warning = { code: 'answer-lost', facts: {} };
export const notReadBack: Warning = { code: 'not-read-back', facts: {} };

/** The action does not touch the session. */
export function sessionLivesOn(session: KnownSession | null): Warning {
  const ends = session === null ? 'unknown' : session.row.ttlMs === null ? 'never-by-time' : 'by-ttl';
  return { code: 'session-lives-on', facts: { ends } };
}

export const mayRetake = (what: 'lock' | 'slot'): Warning => ({ code: 'may-retake', facts: { what } });

/** The entries below a deleted semaphore that stay; empty when none stays. */
export function entriesStay(locks: number, leftovers: number | null): Warning[] {
  return [
    ...(locks === 0 ? [] : [{ code: 'locks-stay' as const, facts: { entries: locks } }]),
    ...(leftovers === 0 ? [] : [{ code: 'leftovers-stay' as const, facts: { entries: leftovers } }]),
  ];
}

export const lockDelay = (session: KnownSession | null): Warning =>
  lockDelayOf(session?.row.lockDelayMs ?? null);

export const splitBrain = (session: KnownSession | null): Warning[] =>
  session === null
    ? []
    : splitBrainOf({ node: session.row.node, nodeStatus: session.nodeStatus, onServer: session.onServer });

/** The next holder of a lock. Consul does not record who waits for one. */
export const nextOfLock: Warning = { code: 'next-holder', facts: { waiters: null, first: null } };

/** The number of waiters, and the first of them. `null`: unknown, because some may be hidden from the token. */
export const waitersOf = ({ waiters, part }: Pick<Semaphore, 'waiters' | 'part'>) =>
  part ? { waiters: null, first: null } : { waiters: waiters.length, first: waiters[0]?.label ?? null };

/** The next holder of a slot. */
export function nextOfSlot(semaphore: Pick<Semaphore, 'waiters' | 'part'>): Warning {
  const { waiters, first } = waitersOf(semaphore);
  if (waiters === null) return { code: 'next-holder-unseen', facts: {} };
  return { code: 'next-holder', facts: { waiters, first } };
}

export const viewIncomplete = ({ complete }: Fresh): Warning[] =>
  complete ? [] : [{ code: 'view-incomplete', facts: {} }];

/** The effects of a new limit on clients of a map. `api/semaphore.go` compares the stored limit with its own. */
export function resizeMap({ waiters, limit }: { waiters: number | null; limit: number }): Warning[] {
  return [
    { code: 'waiters-fail', facts: { waiters, limit } },
    { code: 'restarts-fail', facts: { limit } },
    { code: 'limit-forgotten', facts: {} },
    ...(limit === 1 ? [{ code: 'limit-one' as const, facts: {} }] : []),
  ];
}

/** The effects of a new limit on clients of a list, which read the stored limit every time. */
export function resizeList(layout: Layout): Warning[] {
  return [
    { code: 'limit-live', facts: {} },
    ...(layout === 'guide-list' ? [{ code: 'layout-caution' as const, facts: { layout } }] : []),
  ];
}

/** Ghosts do not count, because Go's clients prune them at their next look. */
export function overLimit(semaphore: Semaphore, limit: number): Warning[] {
  const holders = semaphore.holders.length + unlistedHolders(semaphore) - holdersWith(semaphore, 'ghost');
  return holders <= limit ? [] : [{ code: 'over-limit', facts: { holders, limit } }];
}

/** The first eight characters of an id replace a label that cannot be written. */
export const frictionFor = (party: Party | null) =>
  frictionOf(party, (holder) => labelOr(holder, holder.sessionId.slice(0, 8)));
