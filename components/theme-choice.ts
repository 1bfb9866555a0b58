'use client';
import { useSyncExternalStore } from 'react';
import { chooseEvent, type Theme } from './theme';

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['class'] });
  return () => observer.disconnect();
}

/** Whether it is night. False on the server and for hydration: only the browser knows. */
export function useDark(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => document.documentElement.classList.contains('dark'),
    () => false,
  );
}

/** Puts a theme on, here and in the other tabs, and keeps it. */
export function chooseTheme(theme: Theme): void {
  window.dispatchEvent(new CustomEvent(chooseEvent, { detail: theme }));
}
