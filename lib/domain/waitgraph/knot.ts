/**
 * Knots of a wait-for graph. A least fixpoint finds every client that may proceed; the rest falls apart into knots and
 * the clients behind them. Linear in clients, slots and wants.
 */

/** A set of clients of which each waits only for others of the set. */
export interface Knot {
  /** The first of its prefixes, and so stable while the knot lasts in the same semaphores. */
  readonly id: string;
  /** Sorted ids. */
  readonly clients: readonly string[];
  /** Sorted. */
  readonly prefixes: readonly string[];
  /** Further clients that can only proceed once the knot is undone. Each counts for one knot. */
  readonly behind: number;
}

/** A client, as far as the search needs it. */
interface Want {
  readonly id: string;
  readonly wants: readonly string[];
  readonly mayProceed: boolean;
}

interface Slot {
  readonly prefix: string;
  readonly holders: readonly string[];
  readonly waiters: readonly string[];
  /** The reason why a waiter may be admitted although no holder proceeds; `null`: only the holders decide. */
  readonly wayOut: string | null;
}

function slotsByHolder(slots: readonly Slot[]): ReadonlyMap<string, readonly Slot[]> {
  const byHolder = new Map<string, Slot[]>();
  for (const slot of slots)
    for (const id of slot.holders) {
      const known = byHolder.get(id);
      if (known === undefined) byHolder.set(id, [slot]);
      else known.push(slot);
    }
  return byHolder;
}

/** Clients that nothing visible lets proceed. */
function stuckClients(clients: readonly Want[], slots: readonly Slot[]): Set<string> {
  const stuck = new Set(clients.map(({ id }) => id));
  const heldBy = slotsByHolder(slots);
  const granted = new Set<Slot>();
  const moving: string[] = [];
  const proceed = (id: string) => {
    if (stuck.delete(id)) moving.push(id);
  };
  const grant = (slot: Slot) => {
    if (granted.has(slot)) return;
    granted.add(slot);
    for (const id of slot.waiters) proceed(id);
  };
  const known = new Set(slots.map(({ prefix }) => prefix));
  for (const { id, wants, mayProceed } of clients)
    if (mayProceed || wants.length === 0 || wants.some((prefix) => !known.has(prefix))) proceed(id);
  // A full semaphore without a visible holder is not understood, so it blocks no client.
  for (const slot of slots) if (slot.wayOut !== null || slot.holders.length === 0) grant(slot);
  for (let id = moving.pop(); id !== undefined; id = moving.pop())
    for (const slot of heldBy.get(id) ?? []) grant(slot);
  return stuck;
}

/** Strongly connected components, each after all that it leads to. Tarjan's algorithm without recursion. */
function components(nodes: readonly string[], next: (node: string) => readonly string[]): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const components: string[][] = [];
  const enter = (node: string, path: { node: string; at: number }[]) => {
    low.set(node, order.size);
    order.set(node, order.size);
    open.push(node);
    isOpen.add(node);
    path.push({ node, at: 0 });
  };
  const lower = (node: string, to: number) => low.set(node, Math.min(low.get(node) ?? to, to));
  for (const root of nodes) {
    if (order.has(root)) continue;
    const path: { node: string; at: number }[] = [];
    enter(root, path);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const to = next(top.node)[top.at];
      top.at += 1;
      if (to !== undefined) {
        if (!order.has(to)) enter(to, path);
        else if (isOpen.has(to)) lower(top.node, order.get(to) ?? 0);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) lower(above.node, low.get(top.node) ?? 0);
      if (low.get(top.node) !== order.get(top.node)) continue;
      const component = open.splice(open.lastIndexOf(top.node));
      for (const node of component) isOpen.delete(node);
      components.push(component);
    }
  }
  return components;
}

/** The number of clients behind each knot. A client behind several counts for the one that the search reaches first. */
function countBehind(
  knotOf: ReadonlyMap<string, number>,
  stuck: ReadonlySet<string>,
  heldBy: ReadonlyMap<string, readonly Slot[]>,
): ReadonlyMap<number, number> {
  const counted = new Map(knotOf);
  const behind = new Map<number, number>();
  const passed = new Set<Slot>();
  const queue = [...knotOf.keys()];
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at] ?? '';
    const knot = counted.get(id) ?? 0;
    for (const slot of heldBy.get(id) ?? []) {
      if (passed.has(slot)) continue;
      passed.add(slot);
      for (const waiter of slot.waiters) {
        if (counted.has(waiter) || !stuck.has(waiter)) continue;
        counted.set(waiter, knot);
        behind.set(knot, (behind.get(knot) ?? 0) + 1);
        queue.push(waiter);
      }
    }
  }
  return behind;
}

/** Finds the clients that cannot proceed, and the knots among them. */
export function knotsOf(
  clients: readonly Want[],
  slots: readonly Slot[],
): { readonly stuck: ReadonlySet<string>; readonly knots: readonly Knot[] } {
  const stuck = stuckClients(clients, slots);
  if (stuck.size === 0) return { stuck, knots: [] };
  const wantsOf = new Map(clients.map((client) => [client.id, client.wants]));
  // Clients and semaphores are nodes of one graph: as many edges as there are wants and slots.
  const client = (id: string) => `c${id}`;
  const semaphore = (prefix: string) => `s${prefix}`;
  const edges = new Map<string, readonly string[]>();
  for (const id of stuck) edges.set(client(id), (wantsOf.get(id) ?? []).map(semaphore));
  for (const { prefix, holders } of slots) edges.set(semaphore(prefix), holders.map(client));
  const next = (node: string) => edges.get(node) ?? [];

  const all = components([...stuck].sort().map(client), next);
  const componentOf = new Map<string, number>();
  for (const [index, nodes] of all.entries()) for (const node of nodes) componentOf.set(node, index);
  const knots = all.flatMap((nodes, index) => {
    const closed = nodes.every((node) => next(node).every((to) => componentOf.get(to) === index));
    if (!closed || nodes.length < 2) return [];
    const names = (mark: string) =>
      nodes
        .filter((node) => node.startsWith(mark))
        .map((node) => node.slice(1))
        .sort();
    return [{ clients: names('c'), prefixes: names('s') }];
  });
  const knotOf = new Map<string, number>();
  for (const [index, { clients: members }] of knots.entries())
    for (const id of members) knotOf.set(id, index);
  const behind = countBehind(knotOf, stuck, slotsByHolder(slots));
  return {
    stuck,
    knots: knots
      .map((knot, index) => ({ ...knot, id: knot.prefixes[0] ?? '', behind: behind.get(index) ?? 0 }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}
