/**
 * The wait-for graph as readable trees. No other wait holds up the root. Its waiters are below it, and theirs below
 * them. Each semaphore appears once.
 */
import type { Client, Contested, WaitGraph } from './waitgraph';

export interface WaitTree {
  readonly contested: Contested;
  readonly holders: readonly Client[];
  /** Holders that want nothing. */
  readonly blockers: readonly Client[];
  /** Waiters without waiters of their own. */
  readonly waiting: readonly Client[];
  /** Each with its own waiters. Empty `below` where it has already appeared. */
  readonly passing: readonly { readonly client: Client; readonly below: readonly WaitTree[] }[];
}

/** Trees that begin in a knot first, then those behind a blocker, by prefix. */
export function waitTrees(graph: WaitGraph): readonly WaitTree[] {
  const clients = new Map(graph.clients.map((client) => [client.id, client]));
  const waitedFor = graph.contested.filter(({ waiters }) => waiters.length > 0);
  const of = (ids: readonly string[]) => ids.flatMap((id) => clients.get(id) ?? []);
  const heldBy = new Map<string, Contested[]>();
  for (const contested of waitedFor)
    for (const id of contested.holders) heldBy.set(id, [...(heldBy.get(id) ?? []), contested]);
  const placed = new Set<string>();

  // Without recursion: a chain may be as long as there are sessions.
  const grow = (root: Contested): WaitTree => {
    const built = new Map<string, WaitTree>();
    const order: Contested[] = [root];
    const childrenOf = new Map<string, Map<string, string[]>>();
    placed.add(root.prefix);
    for (let at = 0; at < order.length; at++) {
      const contested = order[at] as Contested;
      const below = new Map<string, string[]>();
      childrenOf.set(contested.prefix, below);
      for (const id of contested.waiters) {
        const holdings = heldBy.get(id);
        if (holdings === undefined) continue;
        below.set(id, []);
        for (const child of holdings) {
          if (placed.has(child.prefix)) continue;
          placed.add(child.prefix);
          below.get(id)?.push(child.prefix);
          order.push(child);
        }
      }
    }
    for (const contested of order.reverse()) {
      const below = childrenOf.get(contested.prefix) ?? new Map<string, string[]>();
      const holders = of(contested.holders);
      built.set(contested.prefix, {
        contested,
        holders,
        blockers: holders.filter(({ wants }) => wants.length === 0),
        waiting: of(contested.waiters.filter((id) => !below.has(id))),
        passing: of([...below.keys()]).map((client) => ({
          client,
          below: (below.get(client.id) ?? []).flatMap((prefix) => built.get(prefix) ?? []),
        })),
      });
    }
    return built.get(root.prefix) as WaitTree;
  };
  const knotted = new Set(graph.knots.flatMap(({ prefixes }) => prefixes));
  const isRoot = ({ prefix, wayOut, holders }: Contested) =>
    knotted.has(prefix) || wayOut !== null || of(holders).some(({ wants }) => wants.length === 0);
  // All of a knot is at the root.
  for (const { prefix } of waitedFor) if (knotted.has(prefix)) placed.add(prefix);
  const members = new Set(graph.knots.flatMap((knot) => knot.clients));
  const trees: WaitTree[] = waitedFor
    .filter(({ prefix }) => knotted.has(prefix))
    .map(grow)
    // The knot's members show the knot itself.
    .map((tree) => ({ ...tree, passing: tree.passing.filter(({ client }) => !members.has(client.id)) }))
    .filter(({ waiting, passing }) => waiting.length + passing.length > 0);
  // The rest waits in a circle that some client may leave; any of its places may be the root.
  for (const contested of [...waitedFor.filter(isRoot), ...waitedFor])
    if (!placed.has(contested.prefix)) trees.push(grow(contested));
  return trees;
}
