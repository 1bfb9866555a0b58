'use client';
/**
 * A page that was opened before the server became another build goes on, for what an API says stays; but what is new it does
 * not show, and what it no longer understands it calls lost. So it is loaded anew, at a moment when nobody looks and nothing
 * would be lost by it: no dialog is open, and no moment of the past is kept. Its view is in its address.
 */

const place = 'signalbox renewed for';

const inHand = () =>
  document.querySelector('[role="dialog"], [role="alertdialog"]') !== null ||
  new URLSearchParams(location.search).has('frozen');

/**
 * Loads the page anew once it is hidden: once for each `build`, since between two servers of an upgrade that takes a while it
 * would never end. Returns what takes that back.
 */
export function renewUnseen(build: string, reload: () => void = () => location.reload()): () => void {
  const look = () => {
    if (document.visibilityState !== 'hidden' || inHand()) return;
    try {
      if (sessionStorage.getItem(place) === build) return;
      sessionStorage.setItem(place, build);
    } catch {
      // Nowhere to remember that it was done: better an old page than one that never rests.
      return;
    }
    reload();
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => document.removeEventListener('visibilitychange', look);
}
