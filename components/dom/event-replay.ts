'use client';
import { useEffect } from 'react';
import type { EarlyField } from './event-capture';

/** A part of the console: a page may hydrate after its frame. */
type Part = 'frame' | 'page';

/** Repeats the early input on this part once it answers. A hook of the part's outermost component. */
export function useReplay(part: Part): void {
  useEffect(() => {
    if (part === 'frame') window.signalboxEarly?.end();
    // The replay waits for the effects of everything around the part.
    queueMicrotask(() => replay(part));
  }, [part]);
}

const partOf = (element: Element): Part => (element.closest('#content') === null ? 'frame' : 'page');

function replay(part: Part): void {
  const early = window.signalboxEarly;
  if (early === undefined) return;
  for (const [field, value] of early.fields) {
    if (partOf(field) !== part) continue;
    early.fields.delete(field);
    if (field.isConnected) put(field, value);
  }
  const { press, sent } = early;
  if (sent !== null && partOf(sent) === part) {
    early.sent = null;
    // The press below sends the form if its own button was kept as well.
    const pressSends = press?.type === 'submit' && press.form === sent;
    if (sent.isConnected && !pressSends) sent.requestSubmit();
  }
  if (press === null || partOf(press) !== part) return;
  early.press = null;
  // A button that hydration drew again is another one, and was not pressed. Neither is one that acts on another
  // holder by now.
  if (press.isConnected && press.getAttribute('data-bound') === early.bound) press.click();
}

function put(field: EarlyField, value: string | boolean): void {
  if (typeof value === 'boolean') {
    if (field instanceof HTMLInputElement) field.checked = !value;
    field.click();
    return;
  }
  if (field instanceof HTMLSelectElement) {
    field.value = value;
    field.dispatchEvent(new Event('change', { bubbles: true }));
    return;
  }
  // React ignores a value that is already in the field.
  field.value = value === '' ? ' ' : '';
  const { prototype } = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
