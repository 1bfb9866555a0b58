/** Makes a Curator semaphore from the nodes below `leases` and `locks`. Pure, and it never throws. */
import type { Holder, Semaphore, Since, Waiter } from '@/lib/domain/model';
import type { SemaphoreRef } from '@/lib/domain/subject';
import { fact } from '@/lib/domain/verdict';
import type { ZkFacts, ZkNode } from '@/lib/providers/zookeeper/client/node';
import type { Entry } from './entry';
import { countOf, type Leases } from './leases';
import { ghostOf, partyOf, sinceMade } from './party';

export const leasesName = 'leases';
export const locksName = 'locks';

const waiter = (entry: Entry, party: Holder): Waiter => ({ ...party, entryKey: entry.node.path });

/** Stuck leases first, because they count as holders for all clients behind them. */
function waitersOf({ stuck, pending, queue }: Leases, facts: ZkFacts): readonly Waiter[] {
  return [
    ...stuck.map((entry) =>
      waiter(
        entry,
        ghostOf(entry, facts, { since: sinceMade(entry), evidence: [fact('zookeeper-place-gone')] }),
      ),
    ),
    ...queue.map((entry, i) => {
      const evidence = i === 0 && pending !== null ? [fact('zookeeper-lease-pending', pending.name)] : [];
      return waiter(entry, partyOf(entry, facts, { since: sinceMade(entry), evidence }));
    }),
  ];
}

type Limit = Pick<Semaphore, 'limit' | 'limitBasis'>;

function limitOf({ held, sighting }: Leases, count: ZkNode | null | undefined): Limit {
  if (count !== undefined) return { limit: count === null ? null : countOf(count) };
  if (sighting.inferred !== null) return { limit: sighting.inferred, limitBasis: 'inferred' };
  return held.length === 0 ? { limit: null } : { limit: held.length, limitBasis: 'at-least' };
}

/** `count`: `undefined` when no shared count is configured. */
export function semaphoreOf(
  { source, prefix }: SemaphoreRef,
  leases: Leases,
  count: ZkNode | null | undefined,
  facts: ZkFacts,
  sinceOf: (entry: Entry) => Since | null,
): Semaphore {
  const holders = leases.held.map((entry) => partyOf(entry, facts, { since: sinceOf(entry) }));
  return {
    kind: 'semaphore',
    source,
    prefix,
    layout: count === undefined ? 'curator-semaphore' : 'curator-semaphore-shared',
    ...limitOf(leases, count),
    recorded: holders.length,
    effective: holders.length,
    holders,
    waiters: waitersOf(leases, facts),
    leftovers: [],
    turnover: null,
    problems: [],
    value: null,
  };
}

/** The semaphore with hidden nodes: those in view may hold or wait, and the number of others is unknown. */
export function partOf(semaphore: Semaphore): Semaphore {
  const inDoubt = <P extends Holder>(party: P): P => ({
    ...party,
    verdict: 'unknown',
    evidence: [...party.evidence, fact('zookeeper-part-hidden')],
  });
  const { limitBasis, ...rest } = semaphore;
  const { limit, holders, waiters } = rest;
  return {
    ...rest,
    limit: limitBasis === undefined ? limit : null,
    recorded: null,
    effective: null,
    holders: holders.map(inDoubt),
    waiters: waiters.map(inDoubt),
    part: true,
  };
}
