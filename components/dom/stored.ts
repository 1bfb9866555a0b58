'use client';
/**
 * One text that this browser stores under a name, the same in every tab. Where the browser refuses storage
 * there is no text, and nothing throws.
 */

export interface Stored {
  /** `null`: nothing is stored. */
  readonly read: () => string | null;
  /** Stores a text, or `null` to remove it; false when the browser refuses. */
  readonly write: (text: string | null) => boolean;
  /** For `useSyncExternalStore`: covers writes of any tab. Returns the unsubscribe function. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function storedText(name: string): Stored {
  const changed = `signalbox:${name}`;
  const place = `signalbox.${name}`;
  return {
    read: () => {
      try {
        return localStorage.getItem(place);
      } catch {
        return null;
      }
    },
    write: (text) => {
      try {
        if (text === null) localStorage.removeItem(place);
        else localStorage.setItem(place, text);
      } catch {
        return false;
      }
      window.dispatchEvent(new Event(changed));
      return true;
    },
    subscribe: (listener) => {
      window.addEventListener(changed, listener);
      window.addEventListener('storage', listener);
      return () => {
        window.removeEventListener(changed, listener);
        window.removeEventListener('storage', listener);
      };
    },
  };
}
