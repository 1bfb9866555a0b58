'use client';
/**
 * Reloads a page from before an upgrade. The API is stable, so the old page still works, but it shows no new
 * features and calls unreadable news lost. It reloads only while hidden, with the server there, and when
 * nothing would be lost: no open dialog, no chosen row, no frozen moment. Its view is in its address.
 */

const inHand = () =>
  document.querySelector('[role="dialog"], [role="alertdialog"], input[type="checkbox"]:checked') !== null ||
  new URLSearchParams(location.search).has('frozen');

/** Remembers over a reload which builds it was for. Both throw where nothing can be stored. */
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
 * Reloads the page once it is hidden and `isThere` says that the server is there. Once for each `build`,
 * because a slow upgrade with two servers would reload it for ever. Returns the function that cancels it.
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
      // No memory of the reload: an old page is better than endless reloads.
      return;
    }
    reload();
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => document.removeEventListener('visibilitychange', look);
}
