/** Joined boxes are placed together in layers; others keep their places. */
import type { Arrow, Drawing } from './drawing';
import { partsOf, structureOf } from './drawing';

export const boxSize = { width: 220, height: 56 } as const;
const gap = 8;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A part, measured from its own top left corner. */
interface Part {
  readonly structure: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Point>;
  readonly arrows: ReadonlyMap<string, readonly Point[]>;
}

/** A part and how far down it stands. */
export interface Placed extends Part {
  /** The least of its boxes, which names a part while that box stays. */
  readonly id: string;
  readonly top: number;
}

export interface Places {
  readonly parts: readonly Placed[];
  readonly width: number;
  readonly height: number;
}

export const noPlaces: Places = { parts: [], width: 0, height: 0 };
export const arrowId = ({ from, to }: Pick<Arrow, 'from' | 'to'>) => `${from} ${to}`;

type Dagre = typeof import('@dagrejs/dagre');

function placePart({ graphlib, layout }: Dagre, drawing: Drawing): Part {
  const graph = new graphlib.Graph();
  // Blockers stand left, their waiters to the right.
  graph.setGraph({ rankdir: 'RL', nodesep: 22, ranksep: 46, marginx: 4, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of drawing.boxes) graph.setNode(id, { ...boxSize });
  for (const { from, to } of drawing.arrows) graph.setEdge(from, to, {});
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    structure: structureOf(drawing),
    width,
    height,
    boxes: new Map(
      drawing.boxes.map(({ id }) => {
        const { x, y } = graph.node(id) as Point;
        return [id, { x, y }];
      }),
    ),
    arrows: new Map(
      drawing.arrows.map((arrow) => [
        arrowId(arrow),
        (graph.edge(arrow.from, arrow.to) as { points: Point[] }).points.map(({ x, y }) => ({ x, y })),
      ]),
    ),
  };
}

/** The first free space for each without a place, from the top. Others stay if they still fit. */
export function stack(
  before: readonly Pick<Placed, 'id' | 'top' | 'height'>[],
  parts: readonly { readonly id: string; readonly height: number }[],
): ReadonlyMap<string, number> {
  const was = new Map(before.map((part) => [part.id, part]));
  const taken: { top: number; bottom: number }[] = [];
  const tops = new Map<string, number>();
  const fits = (top: number, height: number) =>
    taken.every((one) => top >= one.bottom + gap || top + height + gap <= one.top);
  const take = (id: string, top: number, height: number) => {
    taken.push({ top, bottom: top + height });
    tops.set(id, top);
  };
  const hasGrown = ({ id, height }: { id: string; height: number }) => height > (was.get(id)?.height ?? 0);
  // A grown part makes way for the others.
  for (const part of [...parts.filter((one) => !hasGrown(one)), ...parts.filter(hasGrown)]) {
    const top = was.get(part.id)?.top;
    if (top !== undefined && fits(top, part.height)) take(part.id, top, part.height);
  }
  for (const { id, height } of parts) {
    if (tops.has(id)) continue;
    const candidates = [0, ...taken.map(({ bottom }) => bottom + gap)].sort((a, b) => a - b);
    take(id, candidates.find((top) => fits(top, height)) ?? 0, height);
  }
  return tops;
}

/** The places, as near to the earlier ones as possible. Unchanged parts keep their layout. */
export function placesOf(dagre: Dagre, drawing: Drawing, before: Places): Places {
  const known = new Map(before.parts.map((part) => [part.structure, part]));
  // Deadlocks on top, where there is a choice.
  const knotted = (part: Drawing) => (part.boxes.some(({ inKnot }) => inKnot) ? 0 : 1);
  const ordered = [...partsOf(drawing)].sort((a, b) => knotted(a) - knotted(b));
  const parts = ordered.map((part) => ({
    ...(known.get(structureOf(part)) ?? placePart(dagre, part)),
    id: part.boxes[0]?.id ?? '',
  }));
  const tops = stack(before.parts, parts);
  const placed = parts.map((part): Placed => ({ ...part, top: tops.get(part.id) ?? 0 }));
  return {
    parts: placed,
    width: Math.max(0, ...placed.map(({ width }) => width)),
    height: Math.max(0, ...placed.map(({ top, height }) => top + height)),
  };
}
