/** Every knot of the wait-for graph, and the holder to evict. */
import type { Ground } from '@/lib/domain/findings/finding';
import type { Holder, Semaphore, Subject, World } from '@/lib/domain/model';
import { partsOfName, rowName } from '@/lib/domain/source';
import { semaphoreName, semaphoreSubject } from '@/lib/domain/subject';
import type { Knot } from '@/lib/domain/waitgraph/knot';
import { type Client, mayKnot, type WaitGraph, waitGraphOf } from '@/lib/domain/waitgraph/waitgraph';
import { evict, ground, type Rule } from './rule';

const subjectOf = (row: string): Subject => {
  const { source, name } = partsOfName(row);
  return semaphoreSubject({ source, prefix: name });
};

/** The slot by which a client takes part in the knot. */
interface Stake {
  readonly client: Client;
  readonly semaphore: Semaphore;
  readonly holder: Holder;
}

function stakesOf(knot: Knot, graph: WaitGraph, world: World): Stake[] {
  const clients = new Map(graph.clients.map((client) => [client.id, client]));
  const semaphores = new Map<string, Semaphore>(world.semaphores.map((s) => [semaphoreName(s), s]));
  const bySession = new Map<string, Client>();
  for (const id of knot.clients) {
    const client = clients.get(id);
    for (const session of client?.sessions ?? []) if (client !== undefined) bySession.set(session, client);
  }
  const stakes = new Map<string, Stake>();
  for (const semaphore of knot.prefixes.flatMap((prefix) => semaphores.get(prefix) ?? []))
    for (const holder of semaphore.holders) {
      const client = bySession.get(rowName(semaphore.source, holder.sessionId));
      if (client !== undefined && !stakes.has(client.id))
        stakes.set(client.id, { client, semaphore, holder });
    }
  return [...stakes.values()];
}

/**
 * The client that holds the fewest things first, then the latest one. Each of them frees a slot that another in the
 * knot waits for; the rest of a knot is found again.
 */
function inOrderOfLoss(a: Stake, b: Stake): number {
  const fewest = a.client.holds.length - b.client.holds.length;
  const latest = (b.holder.since?.atMs ?? 0) - (a.holder.since?.atMs ?? 0);
  return fewest || latest || (a.client.id < b.client.id ? -1 : 1);
}

const groundOf = ({ client, semaphore, holder }: Stake): Ground => ({
  ...ground(semaphore, holder, evict(semaphore, holder)),
  label: client.label,
  wants: client.wants.map(subjectOf),
});

export const deadlockRules: readonly Rule[] = [
  {
    code: 'deadlock',
    about: 'world',
    look: (world) => {
      if (!mayKnot(world)) return [];
      const graph = waitGraphOf(world);
      return graph.knots.flatMap((knot) => {
        const stakes = stakesOf(knot, graph, world).sort(inOrderOfLoss);
        const [first, second] = stakes;
        const [prefix, ...others] = knot.prefixes;
        if (first === undefined || second === undefined || prefix === undefined) return [];
        return {
          severity: 'urgent' as const,
          subject: subjectOf(prefix),
          also: others.map(subjectOf),
          facts: {
            clients: knot.clients.length,
            first: first.client.label,
            second: second.client.label,
            behind: knot.behind,
            owners: stakes.filter(({ client }) => client.join.by === 'owner').length,
          },
          grounds: stakes.map(groundOf),
          mend: evict(first.semaphore, first.holder),
        };
      });
    },
  },
];
