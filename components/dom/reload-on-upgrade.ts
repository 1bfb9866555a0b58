'use client';
/**
 * A page that was opened before the server became another build goes on, for what an API says stays; but what is new it does
 * not show, and what it no longer understands it calls lost. So it is loaded anew, at a moment when nobody looks, the server is
 * there, and nothing would be lost by it: no dialog is open, nothing is chosen, and no moment of the past is kept. Its view is in
 * its address.
 */

const inHand = () =>
  document.querySelector('[role="dialog"], [role="alertdialog"], input[type="checkbox"]:checked') !== null ||
  new URLSearchParams(location.search).has('frozen');

/** Where a page finds again, once it was loaded anew, what builds it was loaded anew for. Both throw where nothing can be kept. */
export interface Memory {
  read(): string;
  write(names: string): void;
}

const place = 'signalbox renewed for';
export const memoryOfTab: Memory = {
  read: () => sessionStorage.getItem(place) ?? '',
  write: (names) => sessionStorage.setItem(place, names),
};

/** A sandboxed frame has no storage: only the part of its address that is not sent to any server. */
export const memoryOfAddress: Memory = {
  read: () => new URLSearchParams(location.hash.slice(1)).get('renewed-for') ?? '',
  write: (names) =>
    history.replaceState(history.state, '', `#${new URLSearchParams({ 'renewed-for': names })}`),
};

/**
 * Loads the page anew once it is hidden and `isThere` says that the server is: once for each `build`, since between the servers of
 * an upgrade that takes a while it would never end. Returns what takes that back.
 */
export function renewUnseen(
  build: string,
  isThere: () => boolean,
  memory: Memory = memoryOfTab,
  reload: () => void = () => location.reload(),
): () => void {
  const look = () => {
    if (document.visibilityState !== 'hidden' || !isThere() || inHand()) return;
    try {
      const builds = memory.read().split(' ').filter(Boolean);
      if (builds.includes(build)) return;
      memory.write([...builds, build].join(' '));
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
