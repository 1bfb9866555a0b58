/**
 * Boxes and arrows, before they have places. Clients that wait for the same thing, and holders that want nothing, are
 * one box each. A slot that changes hands moves nothing.
 */
import { lockName, semaphoreName } from '@/lib/domain/subject';
import type { Client, Contested, WaitGraph } from '@/lib/domain/waitgraph/waitgraph';

export interface Box {
  readonly id: string;
  readonly kind: 'semaphore' | 'lock' | 'waiting' | 'holding' | 'between' | 'ghosts';
  /** The name of the row (`rowName`). Ghosts have that of their semaphore, and clients ''. */
  readonly name: string;
  readonly contested: Contested | null;
  /** One for `between`, any number for crowds, none for things. */
  readonly clients: readonly Client[];
  readonly inKnot: boolean;
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** The direction: from waiter to subject, or from subject to holder. */
  readonly kind: 'waits' | 'held-by';
  readonly inKnot: boolean;
}

export interface Drawing {
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

const semaphoreBox = (prefix: string) => `s:${prefix}`;
const lockBox = (key: string) => `l:${key}`;

/** Sorted by id, so that the same graph gets the same places. */
export function drawingOf(graph: WaitGraph): Drawing {
  const knotted = new Set(graph.knots.flatMap(({ clients }) => clients));
  const knottedPrefixes = new Set(graph.knots.flatMap(({ prefixes }) => prefixes));
  const drawn = new Set(graph.contested.map(({ prefix }) => prefix));
  const boxes = new Map<string, Box>();
  const arrows = new Map<string, Arrow>();
  const arrow = (from: string, to: string, kind: Arrow['kind'], inKnot: boolean) =>
    arrows.set(`${from} ${to}`, { from, to, kind, inKnot });

  for (const contested of graph.contested)
    boxes.set(semaphoreBox(contested.prefix), {
      id: semaphoreBox(contested.prefix),
      kind: 'semaphore',
      name: contested.prefix,
      contested,
      clients: [],
      inKnot: knottedPrefixes.has(contested.prefix),
    });
  // Otherwise a semaphore of three slots with one holder would seem to have two free ones.
  for (const contested of graph.contested) {
    if (contested.ghosts === 0) continue;
    const id = `ghosts:${contested.prefix}`;
    boxes.set(id, { id, kind: 'ghosts', name: contested.prefix, contested, clients: [], inKnot: false });
    arrow(semaphoreBox(contested.prefix), id, 'held-by', false);
  }
  for (const client of graph.clients) {
    const holds = client.holds.flatMap((subject) => {
      if (subject.kind === 'semaphore')
        return drawn.has(semaphoreName(subject)) ? [semaphoreBox(semaphoreName(subject))] : [];
      return subject.kind === 'lock' && client.wants.length > 0 ? [lockBox(lockName(subject))] : [];
    });
    const wants = client.wants.map(semaphoreBox);
    const kind = wants.length === 0 ? 'holding' : holds.length === 0 ? 'waiting' : 'between';
    const inKnot = knotted.has(client.id);
    const id = kind === 'between' ? `c:${client.id}` : `${kind}:${[...wants, ...holds].sort().join('|')}`;
    const known = boxes.get(id);
    boxes.set(id, {
      id,
      kind,
      name: '',
      contested: null,
      clients: [...(known?.clients ?? []), client],
      inKnot,
    });
    for (const to of wants) arrow(id, to, 'waits', inKnot && knottedPrefixes.has(to.slice(2)));
    for (const from of holds) {
      if (from.startsWith('l:') && !boxes.has(from))
        boxes.set(from, {
          id: from,
          kind: 'lock',
          name: from.slice(2),
          contested: null,
          clients: [],
          inKnot: false,
        });
      arrow(from, id, 'held-by', inKnot && knottedPrefixes.has(from.slice(2)));
    }
  }
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  return {
    boxes: [...boxes.values()].sort(byId),
    arrows: [...arrows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one),
  };
}

/** Changes exactly when a box needs a new place. */
export function structureOf({ boxes, arrows }: Drawing): string {
  return [...boxes.map(({ id }) => id), ...arrows.map(({ from, to }) => `${from} ${to}`)].join('\n');
}

/** Parts that no arrow joins, each named by its least box. */
export function partsOf({ boxes, arrows }: Drawing): readonly Drawing[] {
  const next = new Map<string, string[]>(boxes.map(({ id }) => [id, []]));
  for (const { from, to } of arrows) {
    next.get(from)?.push(to);
    next.get(to)?.push(from);
  }
  const partOf = new Map<string, number>();
  let parts = 0;
  for (const { id } of boxes) {
    if (partOf.has(id)) continue;
    const queue = [id];
    partOf.set(id, parts);
    for (let at = 0; at < queue.length; at++)
      for (const to of next.get(queue[at] ?? '') ?? [])
        if (!partOf.has(to)) {
          partOf.set(to, parts);
          queue.push(to);
        }
    parts += 1;
  }
  return Array.from({ length: parts }, (_, part) => ({
    boxes: boxes.filter(({ id }) => partOf.get(id) === part),
    arrows: arrows.filter(({ from }) => partOf.get(from) === part),
  }));
}
