'use client';
/**
 * Reloads a page from before an upgrade. It reloads only while hidden, with the server there, and when nothing would be
 * lost: no open dialog, no chosen row, no frozen moment.
 */

const inHand = () =>
  document.querySelector('[role="dialog"], [role="alertdialog"], input[type="checkbox"]:checked') !== null ||
  new URLSearchParams(location.search).has('frozen');

/** Remembers the reloads. Both throw where nothing can be stored. */
export interface Memory {
  read(): string;
  write(names: string): void;
}

const place = 'signalbox renewed for';
export const memoryOfTab: Memory = {
  read: () => sessionStorage.getItem(place) ?? '',
  write: (names) => sessionStorage.setItem(place, names),
};

/** A sandboxed frame has no storage, only the fragment of its address, which no server receives. */
export const memoryOfAddress: Memory = {
  read: () => new URLSearchParams(location.hash.slice(1)).get('renewed-for') ?? '',
  write: (names) =>
    history.replaceState(history.state, '', `#${new URLSearchParams({ 'renewed-for': names })}`),
};

/**
 * Once for each `build`: a slow upgrade with two servers would reload it forever. Returns the function that cancels it.
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
      // An old page is better than endless reloads.
      return;
    }
    reload();
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => document.removeEventListener('visibilitychange', look);
}
