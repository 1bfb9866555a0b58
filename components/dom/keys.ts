'use client';
/**
 * Single letters can be switched off (WCAG 2.1.4): speech input types letters, and some screen readers pass them on.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { storedText } from '@/components/dom/stored';

const stored = storedText('single-keys');

/** Shortcuts work after a click on one. Arrow keys and Space stay theirs. */
const notTyped = ['checkbox', 'radio', 'button', 'submit', 'reset'];

/** True where a letter is text and not a shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !notTyped.includes(target.type);
  return target instanceof HTMLElement && target.matches('textarea, select, [contenteditable=true]');
}

/** True when single letters work at this moment. `useSingleKeys` follows it. */
export function singleKeysOn(): boolean {
  return stored.read() !== 'off';
}

/** Switches single letters on or off for this browser; they stay on where it stores nothing. */
export function setSingleKeys(on: boolean): void {
  stored.write(on ? null : 'off');
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(stored.subscribe, singleKeysOn, () => true);
}

const onTop = '[role=dialog], [role=alertdialog], [role=menu]';

/** Runs `act` when a single key is pressed anywhere but in a field, a dialog or a menu. */
export function useSingleKey(key: string, act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return;
      if (isTyping(event.target) || !singleKeysOn() || document.querySelector(onTop) !== null) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [key]);
}
