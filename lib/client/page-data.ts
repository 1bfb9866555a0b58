'use client';
/**
 * Hooks for a page's data: the live view, a frozen moment, or the server's rendering. React hydrates some parts late,
 * after newer data has come. These hooks return the server's snapshot for hydration, because the late part must match
 * its own HTML.
 */
import { createContext, useContext, useRef, useSyncExternalStore } from 'react';
import { same } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type Cell, type Connection, type LiveView, notConnected } from './live-view';

export const LiveContext = createContext<LiveView | null>(null);

export const InitialSnapshot = createContext<Snapshot | null>(null);

/** `null` where nothing is frozen. Provided by `FrozenPage`. */
export const FrozenSnapshot = createContext<Snapshot | null>(null);

/** For callers that render nothing of it. */
export function useLiveView(): LiveView {
  const view = useContext(LiveContext);
  if (view === null) throw new Error('The live view is only there below <LiveRoot>.');
  return view;
}

interface CellSource<T> {
  readonly cell: Cell<T>;
  readonly initial: T;
  /** Instead of the cell's value; `null`: the cell's. */
  readonly frozen: T | null;
}

/** A part of the cell; of `initial` on the server and for hydration. */
function usePart<T, P>({ cell, initial, frozen }: CellSource<T>, part: (value: T) => P): P {
  const last = useRef<{ value: T; part: (value: T) => P; result: P } | null>(null);
  const read = (value: T): P => {
    const known = last.current;
    if (known !== null && known.value === value && known.part === part) return known.result;
    // An unchanged part keeps its identity. The view has done that for the whole; a second pass would give each
    // component its own rows.
    const selected = part(value);
    const isWhole = (selected as unknown) === value;
    const result = known !== null && !isWhole && same(known.result, selected) ? known.result : selected;
    last.current = { value, part, result };
    return result;
  };
  return useSyncExternalStore(
    cell.subscribe,
    () => read(frozen ?? cell.get()),
    () => read(frozen ?? initial),
  );
}

const whole = <T>(value: T): T => value;

/** Renders again with every change. Prefer `useSnapshotPart`. */
export function useSnapshot(): Snapshot {
  return useSnapshotPart(whole);
}

/**
 * A part of the snapshot, by which a component renders only when that part changes. The part must be plain JSON data:
 * two Maps, Sets or Dates always count as equal.
 */
export function useSnapshotPart<T>(select: (snapshot: Snapshot) => T): T {
  const initial = useContext(InitialSnapshot);
  const frozen = useContext(FrozenSnapshot);
  const { snapshot } = useLiveView();
  if (initial === null) throw new Error('The live snapshot is only there below <LiveRoot>.');
  return usePart({ cell: snapshot, initial, frozen }, select);
}

export function useConnection(): Connection {
  return usePart({ cell: useLiveView().connection, initial: notConnected, frozen: null }, whole);
}

export function useContactMs(): number | null {
  return usePart<number | null, number | null>(
    { cell: useLiveView().contact, initial: null, frozen: null },
    whole,
  );
}
