'use client';
/**
 * One text that this browser keeps under a name, the same in every tab. A browser may refuse to store anything: then
 * there is none, and nothing throws.
 */

export interface Stored {
  /** What is kept; `null` for nothing. */
  readonly read: () => string | null;
  /** Keeps another text, `null` for none; false when the browser refuses. */
  readonly write: (text: string | null) => boolean;
  /** For `useSyncExternalStore`: hears what any tab writes. Returns what ends it. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** The text of one name. */
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
