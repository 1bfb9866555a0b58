'use client';
import { useLayoutEffect, useSyncExternalStore } from 'react';
import { chooseEvent, type Theme, wear } from './theme';

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

/**
 * Puts the theme on where the document's script has not: the page for an address that nothing answers to is drawn by the
 * browser alone, which runs no script that React writes; and so is one that could not be hydrated, with its `<html>`.
 */
export function useTheme(): void {
  useLayoutEffect(() => {
    const { classList } = document.documentElement;
    if (!classList.contains('dark') && !classList.contains('light')) wear();
  }, []);
}

/** Puts a theme on, here and in the other tabs, and keeps it. */
export function chooseTheme(theme: Theme): void {
  window.dispatchEvent(new CustomEvent(chooseEvent, { detail: theme }));
}
