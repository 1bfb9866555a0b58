'use client';
import { useCallback, useState } from 'react';
import { countChanges, keepPlaces } from './steady';

interface Named {
  readonly id: string;
}

interface Held<T extends Named> {
  /** The query that the order was made for: a new query is the person's own wish and applies at once. */
  readonly epoch: string;
  readonly rows: readonly T[];
}

export interface Steady<T extends Named> {
  /** Rows in the order to show: the present content of each, `gone` where there is none any more. */
  readonly rows: readonly { readonly row: T; readonly gone: boolean }[];
  /** Rows that would appear, vanish or move now if they were not held. */
  readonly changes: number;
  /** The pointer or the focus has come: keep the order. */
  readonly hold: () => void;
  /** Neither is there any more: let it go. */
  readonly release: () => void;
  /** Apply what is waiting, and keep the new order from here. */
  readonly applyNow: () => void;
}

const idsOf = (rows: readonly Named[]) => rows.map((row) => row.id);

/** Keeps rows in place while someone points at them. Their content stays live. */
export function useSteadyRows<T extends Named>(wanted: readonly T[], epoch: string): Steady<T> {
  const [held, setHeld] = useState<Held<T> | null>(null);
  const kept = held !== null && held.epoch === epoch ? held.rows : null;
  const hold = useCallback(
    () => setHeld((now) => (now !== null && now.epoch === epoch ? now : { epoch, rows: wanted })),
    [epoch, wanted],
  );
  const release = useCallback(() => setHeld(null), []);
  const applyNow = useCallback(() => setHeld({ epoch, rows: wanted }), [epoch, wanted]);
  if (kept === null || kept === wanted)
    return { rows: wanted.map((row) => ({ row, gone: false })), changes: 0, hold, release, applyNow };
  const present = new Map(wanted.map((row) => [row.id, row]));
  return {
    rows: kept.map((row) => {
      const now = present.get(row.id);
      return now === undefined ? { row, gone: true } : { row: now, gone: false };
    }),
    changes: countChanges(idsOf(kept), idsOf(wanted)),
    hold,
    release,
    applyNow,
  };
}

/** The handlers of the element that holds its rows: mouse and focus hold, leaving with both lets go. */
export function holdHandlers({ hold, release }: Pick<Steady<Named>, 'hold' | 'release'>) {
  return {
    // A finger that scrolls is not a pointer that aims.
    onPointerMove: (event: React.PointerEvent) => {
      if (event.pointerType === 'mouse') hold();
    },
    onPointerLeave: (event: React.PointerEvent) => {
      if (!event.currentTarget.contains(document.activeElement)) release();
    },
    onFocus: hold,
    onBlur: (event: React.FocusEvent) => {
      if (event.currentTarget.contains(event.relatedTarget)) return;
      if (!event.currentTarget.matches(':hover')) release();
    },
  };
}

/** The items, each in the place it had at the last render for as long as it is there. */
export function usePlaces<T extends Named>(items: readonly T[]): T[] {
  const now = idsOf(items);
  const [before, setBefore] = useState<readonly string[]>(now);
  const places = keepPlaces(before, now);
  if (places.length !== before.length || places.some((id, i) => id !== before[i])) setBefore(places);
  const byId = new Map(items.map((item) => [item.id, item]));
  return places.flatMap((id) => byId.get(id) ?? []);
}
