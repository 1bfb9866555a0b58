/** The person's place on each page of this tab, until they sign out. It is in memory, and stored when the page goes. */

export interface ScrollPlace {
  /** Hash of the row's id. */
  readonly mark: number;
  /** The row's index, in case it is gone. */
  readonly index: number;
  /** Distance of the row from the top of the window, in pixels. */
  readonly belowPx: number;
}

const storedAs = 'signalbox places';
/** The most pages that are remembered; the oldest are forgotten first. */
const keptMax = 50;

let known: Map<string, ScrollPlace> | null = null;
/** These stay in memory, because a row's id is a name. */
const walked = new Map<string, string>();

/** Places by the visit. */
export function places(): Map<string, ScrollPlace> {
  if (known !== null) return known;
  known = new Map();
  try {
    const stored = JSON.parse(sessionStorage.getItem(storedAs) ?? '[]') as [string, ScrollPlace][];
    known = new Map(stored);
  } catch {
    // No storage, or foreign content in it: the page begins at its top.
  }
  window.addEventListener('pagehide', () => {
    try {
      sessionStorage.setItem(storedAs, JSON.stringify([...(known ?? [])].slice(-keptMax)));
    } catch {
      // As above.
    }
  });
  return known;
}

export function forgetPlaces(): void {
  walked.clear();
  // Cleared, not dropped: the page stores this same map when it goes.
  known?.clear();
  try {
    sessionStorage.removeItem(storedAs);
  } catch {
    // Then nothing was stored.
  }
}

/** A reload or a step back returns to the same one. `null` without the Navigation API. */
export function visit(): string | null {
  const { navigation } = window as {
    readonly navigation?: { readonly currentEntry: { readonly key: string } | null };
  };
  const key = navigation?.currentEntry?.key;
  return key === undefined ? null : `${key} ${window.location.pathname}`;
}

/** Remembers the focused row, for a return to this visit. */
export function noteRow(id: string): void {
  const page = visit();
  if (page === null) return;
  walked.delete(page);
  walked.set(page, id);
  for (const [oldest] of walked) {
    if (walked.size <= keptMax) break;
    walked.delete(oldest);
  }
}

/** The row that had the focus when this visit was left; `null` where none had. */
export function notedRow(): string | null {
  const page = visit();
  return page === null ? null : (walked.get(page) ?? null);
}
