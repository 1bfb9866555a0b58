/**
 * Where somebody was on each page of this tab, until they sign out: what a tab remembers is not for whoever sits there next. A page
 * has it in memory, and writes it down when it goes.
 */

export interface Place {
  /** Of the id of the row. */
  readonly mark: number;
  /** Where the row was, for when it is gone. */
  readonly index: number;
  /** How far below the top of the window the row began, in pixels. */
  readonly belowPx: number;
}

const storedAs = 'signalbox places';
/** Pages of the tab that one can go back to; of more than these the oldest are forgotten. */
const keptMax = 50;

let known: Map<string, Place> | null = null;
/** The row that had the focus last, by the visit: in memory alone, as its id is a name. */
const walked = new Map<string, string>();

/** By the visit. */
export function places(): Map<string, Place> {
  if (known !== null) return known;
  known = new Map();
  try {
    const stored = JSON.parse(sessionStorage.getItem(storedAs) ?? '[]') as [string, Place][];
    known = new Map(stored);
  } catch {
    // Nothing can be kept here, or somebody else has written it: the page begins at its top.
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

/** Forgets them all: who was there is signed out. */
export function forgetPlaces(): void {
  walked.clear();
  // Emptied and not put away: it is written down again when the page goes.
  known?.clear();
  try {
    sessionStorage.removeItem(storedAs);
  } catch {
    // Then nothing was kept.
  }
}

/** This visit of this page: a page that is loaded anew or gone back to is the same one. `null` where that is not told. */
export function visit(): string | null {
  const { navigation } = window as {
    readonly navigation?: { readonly currentEntry: { readonly key: string } | null };
  };
  const key = navigation?.currentEntry?.key;
  return key === undefined ? null : `${key} ${window.location.pathname}`;
}

/** The row of this visit that has the focus, for who comes back to it. */
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
