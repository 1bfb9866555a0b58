'use client';
import { useCallback, useState } from 'react';
import type { BoardRow } from './rows';
import { countChanges } from './steady';

interface Held {
  /** The query that the order was made for: a new query is the person's own wish and applies at once. */
  readonly epoch: string;
  readonly rows: readonly BoardRow[];
}

export interface Steady {
  /** Rows in the order to show: the present content of each, `gone` where there is none any more. */
  readonly rows: readonly { readonly row: BoardRow; readonly gone: boolean }[];
  /** Rows that would appear, vanish or move now if they were not held. */
  readonly changes: number;
  /** The pointer or the focus has come: keep the order. */
  readonly hold: () => void;
  /** Neither is there any more: let it go. */
  readonly release: () => void;
  /** Apply what is waiting, and keep the new order from here. */
  readonly applyNow: () => void;
}

const idsOf = (rows: readonly BoardRow[]) => rows.map((row) => row.id);

/** Keeps the rows in place while someone points at them. Their content stays live. */
export function useSteadyRows(wanted: readonly BoardRow[], epoch: string): Steady {
  const [held, setHeld] = useState<Held | null>(null);
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
