'use client';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { countChanges, keepPlaces, placesIn } from './row-order';

interface Named {
  readonly id: string;
}

interface HeldOrder<T extends Named> {
  /** The query of this order: a new query is the person's own wish and applies at once. */
  readonly epoch: string;
  readonly rows: readonly T[];
}

/** Reasons to hold rows in place. The rows move again when the last one ends. */
export type Reason = 'pointer' | 'press' | 'focus' | 'menu' | 'selection';

export interface Steady<T extends Named> {
  /**
   * Rows in the order to show, with their present content; `gone`: removed ones. `placed`: the row as it was when it
   * got its place.
   */
  readonly rows: readonly { readonly row: T; readonly gone: boolean; readonly placed: T }[];
  /** Rows that would appear, vanish or move now if they were not held. */
  readonly changes: number;
  readonly held: boolean;
  /** Adds a reason to keep the order. */
  readonly hold: (reason?: Reason) => void;
  /** Ends a reason; the last one lets the order go. */
  readonly release: (reason?: Reason) => void;
  /** Applies the waiting changes, and keeps the new order from here. */
  readonly applyNow: () => void;
}

const idsOf = (rows: readonly Named[]) => rows.map((row) => row.id);

/** Holds rows in place while a person points at them. Their content stays live. */
export function useSteadyRows<T extends Named>(wanted: readonly T[], epoch: string): Steady<T> {
  const [frozen, setFrozen] = useState<HeldOrder<T> | null>(null);
  const reasons = useRef(new Set<Reason>());
  const frozenRows = frozen !== null && frozen.epoch === epoch ? frozen.rows : null;
  const hold = useCallback(
    (reason: Reason = 'pointer') => {
      reasons.current.add(reason);
      setFrozen((now) => (now !== null && now.epoch === epoch ? now : { epoch, rows: wanted }));
    },
    [epoch, wanted],
  );
  const release = useCallback((reason: Reason = 'pointer') => {
    reasons.current.delete(reason);
    if (reasons.current.size === 0) setFrozen(null);
  }, []);
  // React reports no blur when the focused element is removed, and the rows would be held forever.
  useEffect(() => {
    if (reasons.current.has('focus') && document.activeElement === document.body) release('focus');
  });
  const applyNow = useCallback(() => setFrozen({ epoch, rows: wanted }), [epoch, wanted]);
  // Ten thousand rows, and their table, are made again only when they change.
  return useMemo(
    () => ({ ...placed(frozenRows, wanted), hold, release, applyNow, held: frozenRows !== null }),
    [frozenRows, wanted, hold, release, applyNow],
  );
}

/** Cached: every change asks for it. */
const placesOf = new WeakMap<readonly Named[], ReadonlyMap<string, number>>();

function keptPlaces(frozenRows: readonly Named[]): ReadonlyMap<string, number> {
  const known = placesOf.get(frozenRows);
  if (known !== undefined) return known;
  const places = placesIn(idsOf(frozenRows));
  placesOf.set(frozenRows, places);
  return places;
}

function placed<T extends Named>(
  frozenRows: readonly T[] | null,
  wanted: readonly T[],
): Pick<Steady<T>, 'rows' | 'changes'> {
  if (frozenRows === null || frozenRows === wanted)
    return { rows: wanted.map((row) => ({ row, gone: false, placed: row })), changes: 0 };
  const places = keptPlaces(frozenRows);
  const rows = frozenRows.map((row) => ({ row, gone: true, placed: row }));
  for (const row of wanted) {
    const place = places.get(row.id);
    if (place !== undefined) rows[place] = { row, gone: false, placed: frozenRows[place] ?? row };
  }
  return { rows, changes: countChanges(places, idsOf(wanted)) };
}

/** React sends a menu's events to the row that opened it. */
const inside = (event: React.SyntheticEvent) =>
  event.target instanceof Node && event.currentTarget.contains(event.target);

/** Handlers of the element that holds the rows: mouse, finger and focus hold, each until it leaves. */
export function holdHandlers({ hold, release }: Pick<Steady<Named>, 'hold' | 'release'>) {
  return {
    // A scrolling finger does not aim, but a pressed one must hit its target.
    onPointerMove: (event: React.PointerEvent) => {
      if (event.pointerType === 'mouse' && inside(event)) hold('pointer');
    },
    onPointerLeave: () => release('pointer'),
    onPointerDown: (event: React.PointerEvent) => {
      if (inside(event)) hold('press');
    },
    onPointerUp: () => release('press'),
    onPointerCancel: () => release('press'),
    onFocus: (event: React.FocusEvent) => {
      if (inside(event)) hold('focus');
    },
    onBlur: (event: React.FocusEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget)) release('focus');
    },
  };
}

/**
 * Holds the rows under a mouse that came to the list before the page answers: its move reached no listener. `whole`: the list
 * was complete in the first document, so that what comes is news. Touch has no hover, and a tap would leave one behind.
 */
export function useHoldUnderPointer(
  list: RefObject<HTMLElement | null>,
  { hold }: Pick<Steady<Named>, 'hold'>,
  whole = true,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: later moves have a listener.
  useEffect(() => {
    if (whole && list.current?.matches(':hover') && window.matchMedia('(hover: hover)').matches)
      hold('pointer');
  }, []);
}

/** Rows with selected text stay until the selection is gone. A press that is released elsewhere ends, too. */
export function useSelectionHold(
  list: RefObject<HTMLElement | null>,
  { hold, release }: Pick<Steady<Named>, 'hold' | 'release'>,
): void {
  useEffect(() => {
    const onSelection = () => {
      const selection = document.getSelection();
      const marked =
        selection !== null &&
        !selection.isCollapsed &&
        selection.anchorNode !== null &&
        list.current?.contains(selection.anchorNode) === true;
      if (marked) hold('selection');
      else release('selection');
    };
    const onUp = () => release('press');
    document.addEventListener('selectionchange', onSelection);
    document.addEventListener('pointerup', onUp);
    return () => {
      document.removeEventListener('selectionchange', onSelection);
      document.removeEventListener('pointerup', onUp);
    };
  }, [list, hold, release]);
}

/** The items, each in its place of the last render while it is there. */
export function usePlaces<T extends Named>(items: readonly T[]): T[] {
  const now = idsOf(items);
  const [before, setBefore] = useState<readonly string[]>(now);
  const places = keepPlaces(before, now);
  if (places.length !== before.length || places.some((id, i) => id !== before[i])) setBefore(places);
  const byId = new Map(items.map((item) => [item.id, item]));
  return places.flatMap((id) => byId.get(id) ?? []);
}
