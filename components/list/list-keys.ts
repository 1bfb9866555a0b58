'use client';
/** The keys of a list: from row to row, a screenful, to its ends, and into it from the page. */
import { useEffect, useRef } from 'react';
import { singleKeysOn } from '@/components/dom/keys';
import { rowPx } from './window';

/** A screenful where there is no window to measure. */
const screenful = 12;

function page(): number {
  return typeof window === 'undefined' ? screenful : Math.max(3, Math.floor(window.innerHeight / rowPx) - 6);
}

/** The target of a key from a row of `count`; `null` when it is not a key of the list. */
export function stepOf(key: string, from: number, count: number, pageRows = page()): number | null {
  const to = (index: number) => Math.max(0, Math.min(count - 1, index));
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return to(from + 1);
    case 'ArrowUp':
    case 'k':
      return to(from - 1);
    case 'PageDown':
      return to(from + pageRows);
    case 'PageUp':
      return to(from - pageRows);
    case 'Home':
      return 0;
    case 'End':
      return to(count - 1);
    default:
      return null;
  }
}

/** True without modifiers: with Ctrl, Alt or Cmd a key belongs to the browser. */
export function isPlain(event: { altKey: boolean; ctrlKey: boolean; metaKey: boolean }): boolean {
  return !event.altKey && !event.ctrlKey && !event.metaKey;
}

/** The way into a list by keyboard: arrow down from the search, or arrow down and `j` with nothing focused. */
export function useWayIn(enter: () => void): void {
  const latest = useRef(enter);
  useEffect(() => {
    latest.current = enter;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (!isPlain(event) || event.shiftKey || event.defaultPrevented) return;
      const nowhere = target === document.body || (target instanceof HTMLElement && target.id === 'content');
      const search = target instanceof HTMLElement && target.matches('[type=search]');
      const letter = key === 'j' && nowhere && singleKeysOn();
      if (!(key === 'ArrowDown' && (nowhere || search)) && !letter) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/**
 * Focuses a row at once where it is drawn, otherwise with the frame that draws it. An Enter right after Home then opens
 * the first row and not the one before.
 */
export function focusRow(body: HTMLElement | null, id: string): void {
  const row = () => body?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] [data-walk]`) ?? null;
  const drawn = row();
  if (drawn === null) requestAnimationFrame(() => row()?.focus());
  else drawn.focus();
}
