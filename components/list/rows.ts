'use client';
/** A list with keyboard navigation: one row has the focus, and only the rows near the window exist. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { rowOfHash } from '@/components/dom/page-link';
import { notedRow, noteRow } from '@/components/dom/visits';
import {
  holdHandlers,
  type Steady,
  useHoldUnderPointer,
  useSelectionHold,
} from '@/components/list/stable-order';
import { focusRow, isPlain, stepOf, useWayIn } from './list-keys';
import { type RowWindow, useRowWindow } from './window';

interface ListProps<T extends { readonly id: string }> {
  readonly body: RefObject<HTMLTableSectionElement | null>;
  /** Ids in the order of the list, heads of groups included. */
  readonly ids: readonly string[];
  readonly steady: Steady<T>;
  /** False while only the first rows are here. */
  readonly whole?: boolean;
}

export interface WalkedRows {
  readonly window: RowWindow;
  /** The place of the row that has the focus, or would get it. */
  readonly active: number;
  /** For the element that holds the rows. */
  readonly handlers: React.DOMAttributes<HTMLTableSectionElement>;
  /** Call it when a row's menu opens and closes. */
  readonly onMenu: (open: boolean) => void;
}

export function useWalkedRows<T extends { readonly id: string }>({
  body,
  ids,
  steady,
  whole = true,
}: ListProps<T>): WalkedRows {
  const [activeId, setActiveId] = useState<string | null>(null);
  const active = Math.max(0, activeId === null ? 0 : ids.indexOf(activeId));
  const keyOf = useCallback((index: number) => ids[index] ?? index, [ids]);
  const rows = useRowWindow({ body, count: ids.length, keyOf, pinned: active, held: steady.held, whole });
  useSelectionHold(body, steady);
  useHoldUnderPointer(body, steady, whole);
  // A returning person continues from their row: the list's keys and Tab begin there.
  useLayoutEffect(() => setActiveId((id) => id ?? notedRow()), []);
  const walkTo = (id: string) => {
    noteRow(id);
    setActiveId(id);
  };
  const goTo = (index: number) => {
    const id = ids[index];
    if (id === undefined) return;
    walkTo(id);
    rows.scrollTo(index);
    focusRow(body.current, id);
  };
  useWayIn(() => goTo(active));
  useLinkedRow(ids, goTo);
  const { hold, release } = steady;
  const onMenu = useCallback((open: boolean) => (open ? hold('menu') : release('menu')), [hold, release]);
  const holding = holdHandlers(steady);
  const handlers: WalkedRows['handlers'] = {
    ...holding,
    onKeyDown: (event) => {
      const { target, currentTarget } = event;
      if (!isPlain(event) || !(target instanceof Element) || !currentTarget.contains(target)) return;
      const next = stepOf(event.key, active, ids.length);
      if (next !== null) goTo(next);
      else if (event.key === 'm')
        target.closest('[data-row]')?.querySelector<HTMLElement>('[data-menu]')?.click();
      else return;
      event.preventDefault();
    },
    onFocus: (event) => {
      const id = event.target.closest('[data-row]')?.getAttribute('data-row');
      if (id != null && event.currentTarget.contains(event.target)) walkTo(id);
      holding.onFocus(event);
    },
  };
  return { window: rows, active, handlers, onMenu };
}

const focusIsFree = () => document.activeElement === null || document.activeElement === document.body;

/**
 * A hand-off link points at a row, which gets the focus once. A late row must not take the focus out of a field in use.
 */
function useLinkedRow(ids: readonly string[], goTo: (index: number) => void): void {
  const done = useRef(false);
  const latest = useRef(goTo);
  useEffect(() => {
    latest.current = goTo;
  });
  useEffect(() => {
    if (done.current) return;
    const row = rowOfHash(window.location.hash);
    const index = row === null ? -1 : ids.indexOf(row);
    if (row !== null && index === -1 && focusIsFree()) return;
    done.current = true;
    if (index !== -1 && focusIsFree()) latest.current(index);
  }, [ids]);
}
