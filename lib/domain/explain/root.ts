/** Walks from the holders of a lock or semaphore up the wait-for graph, to the client that waits for nothing. */
import { doubts, holdersOf } from '@/lib/domain/holders';
import type { Lock, Party, Semaphore, World } from '@/lib/domain/model';
import { rowName } from '@/lib/domain/source';
import { semaphoreName } from '@/lib/domain/subject';
import { bareLabel } from '@/lib/domain/waitgraph/join';
import type { Knot } from '@/lib/domain/waitgraph/knot';
import { type Client, waitGraphOf } from '@/lib/domain/waitgraph/waitgraph';

export interface Way {
  /** From the holder here upwards: each waits for the semaphore of the next one. Never empty. */
  readonly passing: readonly { readonly client: Client; readonly wants: Semaphore }[];
  /** The end of the way: a holder of the last semaphore that waits for nothing in view. `null`: a knot, or a circle. */
  readonly root: { readonly semaphore: Semaphore; readonly holder: Party } | null;
  readonly knot: (Knot & { readonly labels: readonly string[] }) | null;
}

/** Most steps of a way. The root of a longer one is not found. */
const stepsMax = 200;

const depthOf = ({ verdict }: Party) => [...doubts, 'alive'].indexOf(verdict);

/**
 * False when no holder here is a client that waits somewhere, which is nearly always so, and far cheaper to find out
 * than the graph.
 */
function mayWait(holders: readonly Party[], { semaphores }: Pick<World, 'semaphores'>): boolean {
  const names = new Set(holders.flatMap((party) => [party.sessionId, bareLabel(party)]));
  return semaphores.some(({ waiters }) =>
    waiters.some((waiter) => names.has(waiter.sessionId) || names.has(bareLabel(waiter))),
  );
}

/** `null`: some holder here waits for nothing in view, so that the root is here. */
export function wayUp(of: Lock | Semaphore, world: World): Way | null {
  const here = holdersOf(of).filter(({ verdict }) => verdict !== 'ghost');
  if (here.length === 0 || !mayWait(here, world)) return null;
  const graph = waitGraphOf(world);
  const clientOf = new Map<string, Client>();
  for (const client of graph.clients) for (const id of client.sessions) clientOf.set(id, client);
  const contested = new Map(graph.contested.map((one) => [one.prefix, one]));
  const semaphores = new Map<string, Semaphore>(world.semaphores.map((one) => [semaphoreName(one), one]));
  const own = of.kind === 'semaphore' ? semaphoreName(of) : null;
  // A slot that is free, or whose holder is in doubt, is explained here.
  if (own !== null && contested.get(own)?.wayOut != null) return null;
  const passing: { client: Client; wants: Semaphore }[] = [];
  const passed = new Set(own === null ? [] : [own]);
  let ids = here.flatMap(({ sessionId }) => clientOf.get(rowName(of.source, sessionId))?.id ?? []);
  if (ids.length < here.length) return null;
  for (;;) {
    const clients = [...new Set(ids)].flatMap((id) => clientOf.get(id) ?? []);
    const [client] = clients;
    // Where one of them waits for nothing, the slot comes back without any other.
    if (client === undefined || clients.some(({ wants }) => wants.length === 0)) break;
    const [name] = client.wants;
    const wants = name === undefined ? undefined : semaphores.get(name);
    if (name === undefined || wants === undefined) break;
    passing.push({ client, wants });
    if (passed.has(name) || passing.length === stepsMax) {
      const knot = graph.knots.find(({ prefixes }) => prefixes.includes(name)) ?? null;
      const labels = knot?.clients.flatMap((id) => clientOf.get(id)?.label ?? []) ?? [];
      return { passing, root: null, knot: knot === null ? null : { ...knot, labels } };
    }
    passed.add(name);
    const wayOut = contested.get(name)?.wayOut ?? null;
    // Its wait is nearly over, or cannot be judged.
    if (wayOut === 'free-slot' || wayOut === 'entry-not-understood') return null;
    if (wayOut !== null) break;
    ids = [...(contested.get(name)?.holders ?? [])];
  }
  const last = passing.at(-1);
  if (last === undefined) return null;
  const { wants: semaphore } = last;
  const waits = ({ sessionId }: Party) =>
    (clientOf.get(rowName(semaphore.source, sessionId))?.wants.length ?? 0) > 0;
  // The one in the deepest doubt, as an operator would act.
  const [holder] = semaphore.holders
    .filter((one) => one.verdict === 'ghost' || !waits(one))
    .sort((a, b) => depthOf(a) - depthOf(b));
  return holder === undefined ? null : { passing, root: { semaphore, holder }, knot: null };
}
