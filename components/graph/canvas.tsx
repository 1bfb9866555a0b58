'use client';
/**
 * The drawing in its frame: dragging, scrolling, arrow keys, zoom by buttons and keys. The wheel scrolls the page.
 * While a pointer or the keyboard is in it, nothing moves; changes are counted and wait.
 */
import { replaceEqualDeep } from '@tanstack/react-query';
import { Minus, Plus } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { countChanges, placesIn } from '@/components/list/row-order';
import { Button } from '@/components/ui/button';
import type { WaitGraph } from '@/lib/domain/waitgraph/waitgraph';
import { BoxView } from './box-view';
import { type Drawing, drawingOf, structureOf } from './drawing';
import { Legend } from './legend';
import { arrowId, noPlaces, type Places, type Point, placesOf } from './places';

const zoom = { min: 0.3, max: 2, step: 1.25 } as const;
/** Below this names are unreadable, so fitting stops there. */
const fitMin = 0.8;

interface PlacedDrawing {
  readonly drawing: Drawing;
  readonly places: Places;
}

/** `null` until places are computed. The same one while `still`. */
function useShown(drawing: Drawing, still: boolean): PlacedDrawing | null {
  const [shown, setShown] = useState<PlacedDrawing | null>(null);
  const structure = structureOf(drawing);
  const latest = useRef(drawing);
  latest.current = drawing;
  useEffect(() => {
    if (still && shown !== null) return;
    if (shown !== null && structureOf(shown.drawing) === structure) return;
    let dropped = false;
    // Only viewers of the graph load the layout.
    void import('@dagrejs/dagre').then((dagre) => {
      if (dropped) return;
      setShown((before) => ({
        drawing: latest.current,
        places: placesOf(dagre, latest.current, before?.places ?? noPlaces),
      }));
    });
    return () => {
      dropped = true;
    };
  }, [structure, still, shown]);
  return shown;
}

/** If the drawing were not held. */
function changesOf(shown: Drawing, wanted: Drawing): number {
  return shown === wanted ? 0 : countChanges(placesIn(idsOf(shown)), idsOf(wanted));
}

const idsOf = ({ boxes, arrows }: Drawing) => [...boxes.map(({ id }) => id), ...arrows.map(arrowId)].sort();

/** Pans a scrolled element by dragging its background. */
function useDragging(frame: React.RefObject<HTMLElement | null>) {
  const from = useRef<{ x: number; y: number; left: number; top: number } | null>(null);
  return {
    onPointerDown: (event: React.PointerEvent) => {
      const element = frame.current;
      // A finger scrolls, and a box opens at a press.
      if (element === null || event.pointerType !== 'mouse' || event.button !== 0) return;
      if ((event.target as Element).closest('a') !== null) return;
      from.current = { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop };
      element.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: React.PointerEvent) => {
      const start = from.current;
      if (start === null || frame.current === null) return;
      frame.current.scrollLeft = start.left - (event.clientX - start.x);
      frame.current.scrollTop = start.top - (event.clientY - start.y);
    },
    onPointerUp: () => {
      from.current = null;
    },
    onPointerCancel: () => {
      from.current = null;
    },
  };
}

/** 0 until known. */
function useWidth(): readonly [(element: HTMLElement | null) => void, number] {
  const [width, setWidth] = useState(0);
  const observer = useRef<ResizeObserver | null>(null);
  const follow = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (element === null) return;
    setWidth(element.clientWidth);
    observer.current = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.current.observe(element);
  }, []);
  return [follow, width];
}

export function Canvas({ graph }: { graph: WaitGraph }) {
  const { graph: texts } = useAllMessages();
  const last = useRef<Drawing | null>(null);
  const drawing = useMemo(() => {
    last.current = replaceEqualDeep(last.current, drawingOf(graph)) as Drawing;
    return last.current;
  }, [graph]);
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const still = pointed || focused;
  const shown = useShown(drawing, still);
  const frame = useRef<HTMLElement>(null);
  const [scale, setScale] = useState<number | null>(null);
  const drag = useDragging(frame);
  const [outer, width] = useWidth();
  if (shown === null)
    return (
      <p ref={outer} className="min-h-64 text-ink-dim">
        {texts.preparing}
      </p>
    );
  const { places } = shown;
  const fitting = () => {
    // Inside the border of the frame.
    const room = width - 2;
    return room <= 0 || places.width === 0 ? 1 : Math.min(1, Math.max(fitMin, room / (places.width + 8)));
  };
  const now = scale ?? fitting();
  const by = (factor: number) => setScale(Math.min(zoom.max, Math.max(zoom.min, now * factor)));
  const keys: Readonly<Record<string, () => void>> = {
    '+': () => by(zoom.step),
    '=': () => by(zoom.step),
    '-': () => by(1 / zoom.step),
    '0': () => setScale(null),
  };
  return (
    <div ref={outer} className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button aria-label={texts.zoomOut} onClick={keys['-']}>
          <Minus size={14} aria-hidden="true" />
        </Button>
        <Button aria-label={texts.zoomIn} onClick={keys['+']}>
          <Plus size={14} aria-hidden="true" />
        </Button>
        <Button onClick={keys['0']}>{texts.fit}</Button>
        <span className="text-[12px] text-ink-dim">
          {still ? texts.held(changesOf(shown.drawing, drawing)) : texts.help}
        </span>
      </div>
      <Legend boxes={shown.drawing.boxes} />
      <section
        ref={frame}
        aria-label={texts.drawingLabel}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard to be scrolled.
        tabIndex={0}
        className="max-h-[75dvh] min-h-64 cursor-grab overflow-auto rounded-md border border-line bg-inset active:cursor-grabbing"
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const act = keys[event.key];
          if (act === undefined) return;
          event.preventDefault();
          act();
        }}
        onPointerEnter={(event) => {
          if (event.pointerType === 'mouse') setPointed(true);
        }}
        onPointerLeave={() => setPointed(false)}
        // A click focuses as well, and must not hold the drawing after the pointer has left.
        onFocus={(event) => setFocused(event.target.matches(':focus-visible'))}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) setFocused(false);
        }}
        {...drag}
      >
        <Drawn shown={shown} current={drawing} scale={now} />
      </section>
    </div>
  );
}

function path(points: readonly Point[], top: number): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  return `M${first.x} ${first.y + top} ${rest.map(({ x, y }) => `L${x} ${y + top}`).join(' ')}`;
}

/** Boxes in their places, with their present content. */
function Drawn({ shown, current, scale }: { shown: PlacedDrawing; current: Drawing; scale: number }) {
  const { graph: texts } = useAllMessages();
  const { places, drawing } = shown;
  const live = new Map(current.boxes.map((box) => [box.id, box]));
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset.
    <svg
      width={(places.width + 8) * scale}
      height={(places.height + 8) * scale}
      viewBox={`-4 -4 ${places.width + 8} ${places.height + 8}`}
      className="block"
      role="group"
      aria-label={texts.drawing}
    >
      <defs>
        {(['waits', 'waits-in-knot'] as const).map((id) => (
          <marker
            key={id}
            id={id}
            viewBox="0 0 8 8"
            refX="7.5"
            refY="4"
            markerUnits="userSpaceOnUse"
            markerWidth="11"
            markerHeight="11"
            orient="auto-start-reverse"
          >
            <path d="M0 0.5 L8 4 L0 7.5 Z" className={id === 'waits' ? 'fill-ink-dim' : 'fill-danger'} />
          </marker>
        ))}
      </defs>
      {places.parts.flatMap((part) =>
        drawing.arrows.flatMap((arrow) => {
          const points = part.arrows.get(arrowId(arrow));
          if (points === undefined) return [];
          return (
            <path
              key={arrowId(arrow)}
              d={path(points, part.top)}
              fill="none"
              markerEnd={arrow.kind === 'waits' ? `url(#waits${arrow.inKnot ? '-in-knot' : ''})` : undefined}
              strokeDasharray={arrow.kind === 'held-by' ? '2 4' : undefined}
              strokeWidth={arrow.inKnot ? 2.5 : 1.4}
              className={arrow.inKnot ? 'stroke-danger' : 'stroke-ink-dim'}
            />
          );
        }),
      )}
      {places.parts.flatMap((part) =>
        drawing.boxes.flatMap((box) => {
          const at = part.boxes.get(box.id);
          if (at === undefined) return [];
          return (
            <BoxView
              key={box.id}
              box={live.get(box.id) ?? box}
              x={at.x}
              y={at.y + part.top}
              gone={!live.has(box.id)}
            />
          );
        }),
      )}
    </svg>
  );
}
