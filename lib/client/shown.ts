'use client';
/**
 * What a page shows: the live view, the moment that it was frozen at, or what the server rendered. How components read it.
 *
 * React hydrates parts of a page later than others, when the stream has long brought something newer than what the
 * server rendered. So these hooks hand out the server's snapshot for hydration and the current one from then on: with the
 * current one at once the late part would not match its own HTML.
 */
import { createContext, useContext, useRef, useSyncExternalStore } from 'react';
import { same } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type Cell, type Connection, type LiveView, notConnected } from './live-view';

/** Provided by `LiveRoot`. */
export const LiveContext = createContext<LiveView | null>(null);

/** What the server rendered. Provided by `LiveRoot`. */
export const InitialSnapshot = createContext<Snapshot | null>(null);

/** What a frozen page shows instead of the present; `null` where nothing is frozen. Provided by `FrozenPage`. */
export const FrozenSnapshot = createContext<Snapshot | null>(null);

/** For who reads it at some moment, and draws nothing of it. */
export function useLiveView(): LiveView {
  const view = useContext(LiveContext);
  if (view === null) throw new Error('The live view is only there below <LiveRoot>.');
  return view;
}

interface Shown<T> {
  readonly cell: Cell<T>;
  readonly initial: T;
  /** Shown whatever is in the cell; `null` for what is in it. */
  readonly frozen: T | null;
}

/** A part of what is in a cell, and of `initial` on the server and for hydration. */
function usePart<T, P>({ cell, initial, frozen }: Shown<T>, part: (value: T) => P): P {
  const last = useRef<{ value: T; part: (value: T) => P; result: P } | null>(null);
  const read = (value: T): P => {
    const known = last.current;
    if (known !== null && known.value === value && known.part === part) return known.result;
    // What did not change keeps its identity, so that the component does not render for it. The view has done that
    // for the whole already; done again, everyone would have a copy of their own, and rows be made for each.
    const made = part(value);
    const isWhole = (made as unknown) === value;
    const result = known !== null && !isWhole && same(known.result, made) ? known.result : made;
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

/** The whole snapshot; renders again with every change. Prefer `useSnapshotPart`. */
export function useSnapshot(): Snapshot {
  return useSnapshotPart(whole);
}

/**
 * A part of the snapshot; renders again only when that part changes (compared by structure). Give a `select` that
 * keeps its identity between renders, or it runs each time. What it returns is plain data as JSON has it: two Maps, Sets
 * or Dates count as equal, whatever is in them.
 */
export function useSnapshotPart<T>(select: (snapshot: Snapshot) => T): T {
  const initial = useContext(InitialSnapshot);
  const frozen = useContext(FrozenSnapshot);
  const { snapshot } = useLiveView();
  if (initial === null) throw new Error('The live snapshot is only there below <LiveRoot>.');
  return usePart({ cell: snapshot, initial, frozen }, select);
}

/** The connection from this browser to Signalbox. */
export function useConnection(): Connection {
  return usePart({ cell: useLiveView().connection, initial: notConnected, frozen: null }, whole);
}

/** When the backend answered Signalbox last, as far as this page knows. */
export function useContactMs(): number | null {
  return usePart<number | null, number | null>(
    { cell: useLiveView().contact, initial: null, frozen: null },
    whole,
  );
}
