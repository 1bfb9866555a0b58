'use client';
/** A wheel with Ctrl and two fingers zoom a drawn timeline; a pointer that drags moves it. */
import { type RefObject, useEffect, useRef } from 'react';
import { panned, type TimeRange, zoomed } from '@/lib/view/history/timeline';

interface Moved {
  readonly range: TimeRange;
  readonly nowMs: number;
  readonly onRange: (range: TimeRange) => void;
}

/** A press that moves less is a click. */
const dragPx = 5;

export function useGestures(frame: RefObject<SVGSVGElement | null>, moved: Moved): void {
  const latest = useRef(moved);
  useEffect(() => {
    latest.current = moved;
  });
  useEffect(() => {
    const svg = frame.current;
    if (svg === null) return;
    const ended = new AbortController();
    const { signal } = ended;
    /** The place of each pointer when the fingers last changed, and now. */
    const pointers = new Map<number, { from: number; at: number }>();
    let began: TimeRange = latest.current.range;
    const box = () => svg.getBoundingClientRect();
    const restart = () => {
      began = latest.current.range;
      for (const pointer of pointers.values()) pointer.from = pointer.at;
    };
    const onMove = (event: PointerEvent) => {
      const pointer = pointers.get(event.pointerId);
      if (pointer === undefined) return;
      pointer.at = event.clientX;
      const { left, width } = box();
      const { nowMs, onRange } = latest.current;
      const [one, two] = [...pointers.values()];
      if (one === undefined || width === 0) return;
      if (two === undefined) {
        if (!svg.hasPointerCapture(event.pointerId)) {
          if (Math.abs(one.at - one.from) < dragPx) return;
          // From here on, a click chooses no hold.
          svg.setPointerCapture(event.pointerId);
        }
        onRange(panned(began, (one.from - one.at) / width, nowMs));
      } else {
        const [before, now] = [Math.abs(one.from - two.from), Math.abs(one.at - two.at)];
        const place = ((one.from + two.from) / 2 - left) / width;
        onRange(zoomed(began, Math.max(before, 10) / Math.max(now, 10), place, nowMs));
      }
    };
    const onLeave = (event: PointerEvent) => {
      if (pointers.delete(event.pointerId)) restart();
    };
    // React's own listener of wheels cannot keep the page from zooming.
    svg.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const { left, width } = box();
        const { range, nowMs, onRange } = latest.current;
        const place = width === 0 ? 1 : (event.clientX - left) / width;
        onRange(zoomed(range, event.deltaY > 0 ? 1.25 : 0.8, place, nowMs));
      },
      { passive: false, signal },
    );
    svg.addEventListener(
      'pointerdown',
      (event) => {
        if (event.button !== 0 || pointers.size === 2) return;
        pointers.set(event.pointerId, { from: event.clientX, at: event.clientX });
        restart();
      },
      { signal },
    );
    svg.addEventListener('pointermove', onMove, { signal });
    for (const type of ['pointerup', 'pointercancel', 'pointerleave'] as const)
      svg.addEventListener(type, onLeave, { signal });
    return () => ended.abort();
  }, [frame]);
}
